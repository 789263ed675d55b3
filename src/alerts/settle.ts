import type { Decision } from '../core/decision.ts';
import type { HookEvent } from '../core/hook-event.ts';
import type { Policy } from '../core/policy.ts';
import type { PlannedMessage } from './plan.ts';

/** A message that waits until its request has stayed open for a while. */
export interface Settling {
  /** How long after the decision it is due, ms. */
  readonly forMs: number;
  readonly decision: Decision;
}

/**
 * Whether a message waits for another hook, a mode or a reviewer of the agent to answer first. It counts from the decision and not
 * from the event: after a time without a daemon the answer stands in the spool as well, right behind the request.
 *
 * @returns null where it does not: then it is due when its plan says
 */
export function settle(
  { channel, afterMs }: PlannedMessage,
  event: HookEvent,
  { settleMs }: Pick<Policy, 'settleMs'>,
): Settling | null {
  const forMs = Object.hasOwn(settleMs, channel) ? (settleMs[channel] ?? 0) : 0;
  if (forMs <= afterMs || !mayBeAnsweredAtOnce(event)) return null;
  const reason = `"${channel}" waits ${forMs} ms: many requests are answered before a person is needed`;
  return { forMs, decision: { stage: 'plan', verdict: 'note', reason } };
}

/**
 * True for a permission, and for a question that a hook may answer. A notification of another question says that the agent waits
 * at its prompt, which is for a person alone.
 */
function mayBeAnsweredAtOnce({ kind, event }: HookEvent): boolean {
  if (kind === 'needs.permission') return true;
  return kind === 'needs.input' && event.toLowerCase() !== 'notification';
}
