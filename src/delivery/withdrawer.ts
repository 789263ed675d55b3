import type { Channel, SendContext } from '../core/channel.ts';
import { type Log, silentLog } from '../platform/log.ts';
import type { HookEvent } from '../core/hook-event.ts';
import type { Notification } from '../core/notification.ts';
import type { Outcome } from '../core/outcome.ts';
import type { ShownNotifications, WholeDelivery, Withdrawal } from '../core/outbox.ts';
import { runAttempt } from './attempt.ts';
import { hasAbility, type RunningChannel, type RunningChannels } from './running-channel.ts';
import { backoffMs } from '../platform/retry.ts';
import { pause, type StartTimer, systemTimer } from '../platform/time.ts';

/** Most notifications to resubscribe to on one channel: a user with this many does not look at the oldest. */
const MOST = 16;

/** Subscribes channels to reactions to what earlier channels showed for live alerts. Never rejects. */
export async function resubscribe(
  channels: RunningChannels,
  {
    shown,
    notificationOf,
    log,
  }: Pick<SubscriberOptions, 'notificationOf' | 'log'> & {
    readonly shown: Pick<ShownNotifications, 'displayed'>;
  },
): Promise<void> {
  for (const { name, channel } of channels.values()) {
    if (channel.resubscribe === undefined) continue;
    try {
      for (const one of await shown.displayed(name, MOST)) {
        await channel.resubscribe(one.ref, await notificationOf(one));
      }
    } catch (error) {
      log.warn({ channel: name, err: error }, 'Cannot subscribe to earlier notifications');
    }
  }
}

const BATCH = 50;
/** Maximum attempts per withdrawal in one run of the daemon, about a quarter of an hour; a pause that the service asks for does not count. */
const TRIES = 20;
/** Longest wait before the next try, ms: a service may ask for an hour. */
const MOST_WAIT_MS = 60_000;

type ChannelWithAbilities = Pick<RunningChannel, 'channel' | 'limits' | 'can'>;

export interface WithdrawerOptions {
  readonly shown: Pick<ShownNotifications, 'withdrawals' | 'finishWithdrawals'>;
  readonly channels: () => ReadonlyMap<string, ChannelWithAbilities>;
  /** Whether a person can still decide the request of an event where it notified them. */
  readonly isHeld?: (event: HookEvent) => boolean;
  readonly original: (withdrawal: Withdrawal) => Notification;
  /** The message marked as over, or as acknowledged. */
  readonly render: (withdrawal: Withdrawal) => Notification;
  readonly startTimer?: StartTimer;
  readonly log?: Log;
}

/** Each stays in the store until the channel confirmed it, refused it or had failed too often, also over a restart. */
export function createWithdrawer({
  shown,
  channels,
  isHeld = () => false,
  original,
  render,
  startTimer = systemTimer,
  log = silentLog,
}: WithdrawerOptions) {
  const stopping = new AbortController();
  const busy = new Map<string, Promise<void>>();
  const again = new Set<string>();

  async function serve(name: string): Promise<void> {
    const failures = new Map<string, number>();
    try {
      for (let isMore = true; isMore && !stopping.signal.aborted;) {
        again.delete(name);
        // A new configuration may have replaced it meanwhile.
        const configured = channels().get(name);
        if (configured === undefined) return;
        const round = await shown.withdrawals(name, BATCH);
        const { done, waitMs } = await withdrawAll(round, failures, configured);
        if (done.length > 0) await shown.finishWithdrawals(done);
        if (waitMs !== null) await pause(waitMs, startTimer, stopping.signal);
        const isFull = round.length === BATCH && done.length > 0;
        isMore = waitMs !== null || again.has(name) || isFull;
      }
    } catch (error) {
      log.warn({ channel: name, err: error }, 'Cannot withdraw notifications');
    }
  }

  /** Tries each once. Returns `waitMs`: before the next try of those that failed; null if none did. */
  async function withdrawAll(
    round: readonly Withdrawal[],
    failures: Map<string, number>,
    configured: ChannelWithAbilities,
  ): Promise<{ readonly done: readonly Withdrawal[]; readonly waitMs: number | null }> {
    const done: Withdrawal[] = [];
    let waitMs: number | null = null;
    for (const withdrawal of round) {
      if (stopping.signal.aborted) break;
      // A newer request took its place; it stays until it is decided, which wakes this again.
      if (withdrawal.cause === 'over' && isHeld(withdrawal.event)) continue;
      const key = `${withdrawal.delivery.id} ${withdrawal.cause}`;
      const attempt = (failures.get(key) ?? 0) + 1;
      const outcome = await withdraw(withdrawal, attempt, configured);
      if (outcome?.type !== 'retry' || attempt >= TRIES) {
        done.push(withdrawal);
        continue;
      }
      const { afterMs } = outcome;
      if (afterMs === undefined) failures.set(key, attempt);
      waitMs = Math.min(Math.max(waitMs ?? 0, afterMs ?? backoffMs(attempt, 1)), MOST_WAIT_MS);
      // The service asks for a pause, which holds for the others as well.
      if (afterMs !== undefined) break;
    }
    return { done, waitMs };
  }

  async function withdraw(
    withdrawal: Withdrawal,
    attempt: number,
    configured: ChannelWithAbilities,
  ): Promise<Outcome | null> {
    const act = actOf(configured, withdrawal, { original, render });
    if (act === null) return null;
    const { id: deliveryId, channel: name } = withdrawal.delivery;
    const { outcome } = await runAttempt({
      send: (signal) => act({ signal, carry: null, attempt }),
      timeoutMs: configured.limits.timeoutMs,
      shutdown: stopping.signal,
      startTimer,
    });
    if (outcome.type === 'delivered') return outcome;
    const { reason } = outcome;
    log.info({ channel: name, deliveryId, reason }, 'Cannot withdraw a notification');
    return outcome;
  }

  function wake(): void {
    if (stopping.signal.aborted) return;
    for (const [name, { channel }] of channels()) {
      if (channel.withdraw === undefined && channel.update === undefined) continue;
      if (busy.has(name)) again.add(name);
      else busy.set(name, serveAndRest(name));
    }
  }

  async function serveAndRest(name: string): Promise<void> {
    await serve(name);
    busy.delete(name);
    if (again.delete(name)) wake();
  }

  return {
    /** Call it when an alert may be acknowledged or over. */
    wake,
    /** Aborts withdrawals in flight and waits for their end. */
    async stop(): Promise<void> {
      stopping.abort();
      await Promise.all(busy.values());
    },
  };
}

type Act = (context: SendContext) => Promise<Outcome>;

/** Null if a newer message of its session has already replaced it, or the channel can do nothing. */
function actOf(
  configured: ChannelWithAbilities,
  withdrawal: Withdrawal,
  texts: Pick<WithdrawerOptions, 'original' | 'render'>,
): Act | null {
  const { channel } = configured;
  const { ref, succeeded } = withdrawal;
  if (succeeded && hasAbility(configured, 'replace')) return null;
  const act = actOn(channel, withdrawal, texts.render);
  if (act === null) return null;
  if (ref !== null) return (context) => act(ref, context);
  const find = channel.find?.bind(channel);
  if (find === undefined) return null;
  return async (context) => {
    const found = await find(texts.original(withdrawal), context);
    return found.type === 'delivered' && found.ref !== undefined ? act(found.ref, context) : found;
  };
}

function actOn(
  channel: Channel,
  withdrawal: Withdrawal,
  render: WithdrawerOptions['render'],
): ((ref: string, context: SendContext) => Promise<Outcome>) | null {
  const mark = channel.markAcknowledged?.bind(channel);
  const withdraw = channel.withdraw?.bind(channel);
  const update = channel.update?.bind(channel);
  if (mark !== undefined && withdrawal.cause === 'acknowledged') {
    return (ref, context) => mark(ref, render(withdrawal), context);
  }
  if (withdraw !== undefined) return withdraw;
  if (update === undefined) return null;
  return (ref, context) => update(ref, render(withdrawal), context);
}

interface SubscriberOptions {
  readonly shown: Pick<ShownNotifications, 'displayedOf'>;
  readonly channels: () => RunningChannels;
  readonly notificationOf: (delivery: WholeDelivery) => Promise<Notification>;
  readonly log: Log;
}

/** A service passes a press to any process. Returns a function that takes the events that can be decided now; never rejects. */
export function createReactionSubscriber({
  shown,
  channels,
  notificationOf,
  log,
}: SubscriberOptions): (eventIds: readonly string[]) => Promise<void> {
  let subscribed = new Set<string>();
  let isBusy = false;

  return async (eventIds) => {
    if (isBusy) return;
    isBusy = true;
    try {
      const displayed = eventIds.length === 0 ? [] : await shown.displayedOf(eventIds);
      subscribed = new Set(
        displayed.map(({ delivery }) => delivery.id).filter((id) => subscribed.has(id)),
      );
      for (const one of displayed) {
        const { id, channel } = one.delivery;
        if (subscribed.has(id)) continue;
        await channels()
          .get(channel)
          ?.channel.resubscribe?.(one.ref, await notificationOf(one));
        subscribed.add(id);
      }
    } catch (error) {
      log.warn({ err: error }, 'Cannot take reactions to notifications of other processes');
    } finally {
      isBusy = false;
    }
  };
}
