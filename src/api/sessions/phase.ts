import type { Session, SessionListItem } from './session.ts';

/**
 * What a session does, in words that do not depend on its status alone, of which three values are documented and only where
 * single sessions are asked for.
 *
 * - `running`, `pending`: it works, or waits to
 * - `done`: it is idle, or completed
 * - `failed`: its status says so
 * - `unknown`: it shows no status, or one nobody knows
 */
export const sessionPhases = ['running', 'pending', 'done', 'failed', 'unknown'] as const;
export type SessionPhase = (typeof sessionPhases)[number];

export function sessionPhase({ status, completedAt }: Session | SessionListItem): SessionPhase {
  if (status === 'running') return 'running';
  if (status === 'pending') return 'pending';
  const says = status ?? '';
  if (/fail|error|abort/i.test(says)) return 'failed';
  const isOver = says === 'idle' || /complete|finish|done/i.test(says);
  return isOver || (completedAt ?? null) !== null ? 'done' : 'unknown';
}
