import type { Channel, ChannelLimits } from '../core/channel.ts';
import type { Notification } from '../core/notification.ts';
import type { ClaimedDelivery } from '../core/outbox.ts';
import { failed } from '../core/outcome.ts';
import type { Log } from '../platform/log.ts';
import type { StartTimer } from '../platform/time.ts';
import { type AttemptEnd, runAttempt } from './attempt.ts';
import type { Claim, RecordAttempt } from './attempt-recorder.ts';
import { type ChannelHealth, tidyReason } from './channel-health.ts';
import { type AttemptVerdict, verdictOn, verdictOnInterrupted } from './verdict.ts';

export interface ConfiguredChannel {
  readonly channel: Channel;
  readonly limits: ChannelLimits;
}

/** Prepares a delivery: immediately, or asynchronously without delaying other deliveries. Never rejects. */
export type Prepare = (claimed: ClaimedDelivery) => ClaimedDelivery | Promise<ClaimedDelivery>;

export type Render = (claimed: ClaimedDelivery) => Notification | Promise<Notification>;

/** Callbacks during an attempt, by which the channel worker schedules others. */
export interface Progress {
  sent(end: AttemptEnd): OutcomeContext;
  /** The new state of the delivery is known, and not recorded yet. */
  judged(verdict: AttemptVerdict, end: AttemptEnd): void;
}

interface OutcomeContext {
  /** False if the channel was replaced meanwhile, or an earlier outcome already reported the same failure. */
  readonly countsForHealth: boolean;
  /** True if an earlier message of its session, in flight together with it, is retried. */
  readonly isBehindRetry: boolean;
  /** Awaited before the record, so that the records of a batch share a commit. */
  readonly batch: Promise<void> | null;
}

export interface DeliverDependencies {
  readonly health: ChannelHealth;
  readonly render: Render;
  readonly record: RecordAttempt;
  readonly now: () => number;
  readonly random: () => number;
  readonly startTimer: StartTimer;
  readonly log: Log;
  /** A delivery that could not be sent for this long, while a daemon ran, becomes a dead letter, ms. */
  readonly maxAgeMs: number;
  readonly shutdown: AbortSignal;
}

/**
 * One attempt to deliver: the stages from the claim to the record. Never rejects.
 *
 * - Claim: the channel worker takes what is due, in the order of its session and within the limits of the channel.
 * - Prepare: `enrich` adds the title, the computer and the credits of the session.
 * - Render: the delivery becomes a notification.
 * - Send: the channel has it, under a deadline.
 * - Judge: the outcome becomes sent, retried or a dead letter, and changes the health of the channel.
 * - Record: outcome and state are stored.
 */
export async function attemptDelivery(
  { claimed, claim }: { readonly claimed: ClaimedDelivery; readonly claim: Claim },
  by: ConfiguredChannel,
  progress: Progress,
  dependencies: DeliverDependencies,
): Promise<AttemptVerdict> {
  const { health, record, now, log } = dependencies;
  const startedAt = now();

  const end = await renderAndSend(claimed, by, dependencies);
  const sent = progress.sent(end);

  const judged = judge(claimed, by, end, sent, dependencies);
  // Only one message per session is retried at a time: those behind it wait in their place, or they would overtake it.
  const isBehind = judged.state === 'retrying' && sent.isBehindRetry;
  const verdict: AttemptVerdict = isBehind
    ? { ...judged, state: 'pending', dueAt: claimed.delivery.dueAt }
    : judged;
  progress.judged(verdict, end);
  report(log, claimed, verdict, end);

  await sent.batch;
  const attempt = recordOf(end, verdict, startedAt, now());
  await Promise.all([record(claim, { ...verdict, attempt }), health.save()]);
  return verdict;
}

async function renderAndSend(
  claimed: ClaimedDelivery,
  { channel, limits }: ConfiguredChannel,
  { render, startTimer, shutdown }: DeliverDependencies,
): Promise<AttemptEnd> {
  const { carry, attempts } = claimed.delivery;
  let renderError: unknown;
  const end = await runAttempt({
    send: async (signal) => {
      let notification: Notification;
      try {
        notification = await render(claimed);
      } catch (error) {
        renderError = error;
        // It would fail the same way each time.
        return failed('Cannot render the notification');
      }
      return channel.send(notification, { signal, carry, attempt: attempts + 1 });
    },
    timeoutMs: limits.timeoutMs,
    shutdown,
    startTimer,
  });
  return renderError === undefined ? end : { ...end, manner: 'unrendered', error: renderError };
}

function judge(
  claimed: ClaimedDelivery,
  { limits: { maxAttempts } }: ConfiguredChannel,
  { outcome, manner }: AttemptEnd,
  { countsForHealth }: OutcomeContext,
  { health, now, random, maxAgeMs, shutdown }: DeliverDependencies,
): AttemptVerdict {
  if (shutdown.aborted && outcome.type === 'retry') return verdictOnInterrupted(outcome, claimed);
  const before = health.state();
  // A text that cannot be rendered is our bug, not the channel's.
  if (countsForHealth && manner !== 'unrendered') health.learn(outcome);
  const after = health.state();
  return verdictOn(outcome, { claimed, before, after, maxAttempts, maxAgeMs, now: now(), random });
}

function recordOf(
  { outcome, manner }: AttemptEnd,
  verdict: AttemptVerdict,
  startedAt: number,
  endedAt: number,
) {
  return {
    startedAt,
    durationMs: Math.max(0, endedAt - startedAt),
    outcome: manner === 'silent' ? ('unknown' as const) : outcome.type,
    reason: outcome.type === 'delivered' ? verdict.reason : tidyReason(outcome.reason),
  };
}

function report(
  log: Log,
  { delivery }: ClaimedDelivery,
  { state, reason }: AttemptVerdict,
  { error }: AttemptEnd,
): void {
  const fields = { channel: delivery.channel, deliveryId: delivery.id, reason };
  if (error !== undefined) log.error({ ...fields, err: error }, 'A delivery attempt threw');
  if (state === 'sent') log.debug(fields, 'Sent a delivery');
  else if (state === 'dead') log.warn(fields, 'Gave up a delivery');
  else log.info(fields, 'A delivery will be retried');
}
