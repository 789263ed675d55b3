import type { Decision } from '../core/decision.ts';
import type { HookEvent } from '../core/hook-event.ts';
import type { Policy } from '../core/policy.ts';
import type { PlannedMessage } from './plan.ts';
import { delayText } from '../text/duration.ts';

/** A message held until its request has stayed open for a while. */
interface HeldForAnswer {
  /** Delay after the decision, ms. */
  readonly forMs: number;
  readonly decision: Decision;
}

/**
 * Whether a message waits for another hook, a mode or a reviewer of the agent to answer first. The delay counts from
 * the decision, not from the event: if no daemon ran, the answer is in the spool as well, right after the request.
 *
 * @returns null if it does not wait: then the plan decides when it is due
 */
export function holdForAnswer(
  { channel, afterMs }: PlannedMessage,
  event: HookEvent,
  { settleDelayMs }: Pick<Policy, 'settleDelayMs'>,
): HeldForAnswer | null {
  const forMs = Object.hasOwn(settleDelayMs, channel) ? (settleDelayMs[channel] ?? 0) : 0;
  if (forMs <= afterMs || !mayBeAnsweredAtOnce(event)) return null;
  const reason = `"${channel}" waits ${delayText(forMs)}: many requests are answered before a person is needed`;
  return { forMs, decision: { stage: 'plan', verdict: 'note', reason } };
}

/**
 * True for a permission, and for a question that a hook may answer. A notification of another question means that the
 * agent waits at its prompt for a person.
 */
function mayBeAnsweredAtOnce({ kind, event }: HookEvent): boolean {
  if (kind === 'needs.permission') return true;
  return kind === 'needs.input' && event.toLowerCase() !== 'notification';
}
