import { purposeOf } from './hand-made.ts';
import { isWaiting } from './hook-event.ts';
import type { Notification } from './notification.ts';

/** One colour for each kind of notification, as "#rrggbb": a permission, a failure and a test differ at a glance. */
export const toneColours = {
  permission: '#bf8700',
  question: '#8250df',
  failed: '#cf222e',
  done: '#1a7f37',
  info: '#0969da',
  test: '#6e7781',
} as const;

/** What a notification is about, as far as its look goes. */
export type Tone = keyof typeof toneColours;

export function toneOf({
  kind,
  severity,
  sessionId,
}: Pick<Notification, 'kind' | 'severity' | 'sessionId'>): Tone {
  if (kind === 'test' || purposeOf(sessionId) === 'trial') return 'test';
  if (severity === 'critical') return 'failed';
  if (kind === 'needs.permission') return 'permission';
  if (isWaiting(kind)) return 'question';
  return kind === 'turn.done' || kind === 'subagent.done' ? 'done' : 'info';
}
