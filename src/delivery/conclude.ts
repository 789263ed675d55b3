import type { Log } from '../core/log.ts';
import type { ClaimedDelivery } from '../core/store.ts';
import type { AttemptEnd } from './attempt.ts';
import type { ChannelHealth } from './channel-health.ts';
import { tidyReason } from './reason.ts';
import type { Claim, RecordAttempt } from './recorder.ts';
import type { Verdict } from './verdict.ts';
import { verdictOn, verdictOnInterrupted } from './verdict.ts';

/** One attempt, over. */
export interface EndedAttempt {
  readonly claimed: ClaimedDelivery;
  readonly claim: Claim;
  readonly startedAt: number;
  readonly end: AttemptEnd;
  readonly maxAttempts: number;
  /** False where the outcome says nothing new of the channel: it was replaced meanwhile, or another one said so before. */
  readonly says: boolean;
  /** True where an earlier message of its session that was in flight with it is tried again. */
  readonly isBehindRetry: boolean;
  /** Waited for before it is written down, so that others go into the same commit. */
  readonly company: Promise<void> | null;
}

export interface ConcludeDependencies {
  readonly health: ChannelHealth;
  readonly record: RecordAttempt;
  readonly now: () => number;
  readonly random: () => number;
  readonly log: Log;
  readonly maxAgeMs: number;
  readonly shutdown: AbortSignal;
}

/**
 * Draws the conclusions of an attempt for its delivery and its channel, and writes both down. Never rejects.
 *
 * @param onDecided called before anything is awaited
 */
export async function finishAttempt(
  attempted: EndedAttempt,
  dependencies: ConcludeDependencies,
  onDecided: (verdict: Verdict) => void,
): Promise<Verdict> {
  const { claimed, claim, startedAt, end } = attempted;
  const { health, record, now, log } = dependencies;
  const { outcome, manner } = end;
  const verdict = inOrder(judge(attempted, dependencies), attempted);
  onDecided(verdict);
  report(log, claimed, verdict, end);
  const attempt = {
    startedAt,
    durationMs: Math.max(0, now() - startedAt),
    outcome: manner === 'silent' ? ('unknown' as const) : outcome.type,
    reason: outcome.type === 'delivered' ? verdict.reason : tidyReason(outcome.reason),
  };
  await attempted.company;
  await Promise.all([record(claim, { ...verdict, attempt }), health.save()]);
  return verdict;
}

/** Of a session one message is tried again at a time: those behind it wait in their place, or they would overtake it. */
function inOrder(verdict: Verdict, { claimed, isBehindRetry }: EndedAttempt): Verdict {
  if (verdict.state !== 'retrying' || !isBehindRetry) return verdict;
  return { ...verdict, state: 'pending', dueAt: claimed.delivery.dueAt };
}

function judge(
  { claimed, end: { outcome, manner }, maxAttempts, says }: EndedAttempt,
  { health, now, random, maxAgeMs, shutdown }: ConcludeDependencies,
): Verdict {
  if (shutdown.aborted && outcome.type === 'retry') return verdictOnInterrupted(outcome, claimed);
  const before = health.state();
  // A text that cannot be rendered is our own bug, not the channel's.
  if (says && manner !== 'unrendered') health.learn(outcome);
  const after = health.state();
  return verdictOn(outcome, { claimed, before, after, maxAttempts, maxAgeMs, now: now(), random });
}

function report(
  log: Log,
  { delivery }: ClaimedDelivery,
  { state, reason }: Verdict,
  { error }: AttemptEnd,
): void {
  const fields = { channel: delivery.channel, deliveryId: delivery.id, reason };
  if (error !== undefined) log.error({ ...fields, err: error }, 'An attempt threw');
  if (state === 'sent') log.debug(fields, 'Sent a delivery');
  else if (state === 'dead') log.warn(fields, 'Gave up a delivery');
  else log.info(fields, 'A delivery will be tried again');
}
