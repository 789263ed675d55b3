import type { Decision } from '../core/decision.ts';
import type { HookEvent } from '../core/hook-event.ts';
import type { Policy } from '../core/policy.ts';
import { REMOTE } from '../core/session-news.ts';
import { SERVICE } from '../core/source-event.ts';

export interface Relayed {
  /** `stop`: another machine tells people of it. `note`: this one does as well. */
  readonly decision: Decision;
  readonly ringsHere: boolean;
}

/**
 * Whether an event goes on to another machine. Those of sources stay: each machine asks the service for itself. So do those
 * that came from another machine: two daemons that relay to each other would pass them on for ever.
 *
 * @returns null where it stays
 */
export function relay(
  { agent, event, machine }: Pick<HookEvent, 'agent' | 'event' | 'machine'>,
  policy: Pick<Policy, 'relay'>,
): Relayed | null {
  if (policy.relay === null || machine !== null) return null;
  if (agent === SERVICE || event.startsWith(REMOTE)) return null;
  const { to, ringHere } = policy.relay;
  const reason = `Relayed to ${to}`;
  return {
    ringsHere: ringHere,
    decision: ringHere
      ? { stage: 'relay', verdict: 'note', reason }
      : { stage: 'relay', verdict: 'stop', reason: `${reason}, which tells people of it` },
  };
}
