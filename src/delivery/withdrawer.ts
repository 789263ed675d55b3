import type { Channel } from '../core/channel.ts';
import { type Log, silentLog } from '../platform/log.ts';
import type { Notification } from '../core/notification.ts';
import type { Outcome } from '../core/outcome.ts';
import type { ShownNotifications, WholeDelivery, Withdrawal } from '../core/outbox.ts';
import { runAttempt } from './attempt.ts';
import { hasAbility, type RunningChannel, type RunningChannels } from './running-channel.ts';
import { backoffMs } from '../platform/retry.ts';
import { pause, type StartTimer, systemTimer } from '../platform/time.ts';

/** Most notifications to resubscribe to on one channel: a user with this many does not look at the oldest. */
const MOST = 16;

interface HearAgainOptions {
  readonly shown: Pick<ShownNotifications, 'displayed'>;
  readonly notificationOf: (delivery: WholeDelivery) => Promise<Notification>;
  readonly log: Log;
}

/**
 * Subscribes new channels to reactions to notifications that earlier channels showed for live alerts. Never rejects.
 */
export async function resubscribe(
  channels: RunningChannels,
  { shown, notificationOf, log }: HearAgainOptions,
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
/** Of each notification. */
const TRIES = 5;
/** Longest wait before the next try, ms: a service may ask for an hour. */
const MOST_WAIT_MS = 60_000;

type ChannelWithAbilities = Pick<RunningChannel, 'channel' | 'limits' | 'can'>;

/** A notification to withdraw, and which try is next. */
interface Tried {
  readonly withdrawal: Withdrawal;
  readonly attempt: number;
}

export interface WithdrawerOptions {
  readonly shown: Pick<ShownNotifications, 'takeWithdrawals'>;
  /** The current channels by name. */
  readonly channels: () => ReadonlyMap<string, ChannelWithAbilities>;
  /** The message marked as over. */
  readonly render: (withdrawal: Withdrawal) => Notification;
  readonly startTimer?: StartTimer;
  readonly log?: Log;
}

/** Withdraws notifications of closed alerts, as best effort: nothing depends on it. */
export interface Withdrawer {
  /** Call it when an alert may be over. */
  wake(): void;
  /** Aborts withdrawals in flight and waits for their end. */
  stop(): Promise<void>;
}

export function createWithdrawer({
  shown,
  channels,
  render,
  startTimer = systemTimer,
  log = silentLog,
}: WithdrawerOptions): Withdrawer {
  const stopping = new AbortController();
  const busy = new Map<string, Promise<void>>();
  const again = new Set<string>();

  async function serve(name: string, configured: ChannelWithAbilities): Promise<void> {
    let later: readonly Tried[] = [];
    try {
      do {
        again.delete(name);
        const taken = await shown.takeWithdrawals(name, BATCH);
        if (taken.length === BATCH) again.add(name);
        const round = [...taken.map((withdrawal) => ({ withdrawal, attempt: 1 })), ...later];
        const { left, waitMs } = await withdrawAll(round, configured);
        later = left;
        if (left.length > 0 && !again.has(name)) await pause(waitMs, startTimer, stopping.signal);
      } while ((again.has(name) || later.length > 0) && !stopping.signal.aborted);
    } catch (error) {
      log.warn({ channel: name, err: error }, 'Cannot withdraw notifications');
    }
  }

  /** Tries each once; one that hangs must not hold up the others for longer than its timeout. */
  async function withdrawAll(
    round: readonly Tried[],
    configured: ChannelWithAbilities,
  ): Promise<{ readonly left: readonly Tried[]; readonly waitMs: number }> {
    const left: Tried[] = [];
    let waitMs = 0;
    for (const { withdrawal, attempt } of round) {
      if (stopping.signal.aborted) break;
      const outcome = await withdraw(withdrawal, attempt, configured);
      if (outcome?.type !== 'retry' || attempt >= TRIES) continue;
      left.push({ withdrawal, attempt: attempt + 1 });
      waitMs = Math.max(waitMs, outcome.afterMs ?? backoffMs(attempt, 1));
    }
    return { left, waitMs: Math.min(waitMs, MOST_WAIT_MS) };
  }

  /** Null if there is nothing to withdraw. */
  async function withdraw(
    withdrawal: Withdrawal,
    attempt: number,
    configured: ChannelWithAbilities,
  ): Promise<Outcome | null> {
    const act = actOf(configured, withdrawal, render);
    if (act === null) return null;
    const { id: deliveryId, channel: name } = withdrawal.delivery;
    const { outcome } = await runAttempt({
      send: (signal) => act({ signal, carry: null, attempt }),
      timeoutMs: configured.limits.timeoutMs,
      shutdown: stopping.signal,
      startTimer,
    });
    if (outcome.type !== 'delivered') {
      const { reason } = outcome;
      log.info({ channel: name, deliveryId, reason }, 'Cannot withdraw a notification');
    }
    return outcome;
  }

  function wake(): void {
    if (stopping.signal.aborted) return;
    for (const [name, configured] of channels()) {
      const { channel } = configured;
      if (channel.withdraw === undefined && channel.update === undefined) continue;
      if (busy.has(name)) again.add(name);
      else
        busy.set(
          name,
          serve(name, configured).finally(() => rest(name)),
        );
    }
  }

  function rest(name: string): void {
    busy.delete(name);
    if (again.delete(name)) wake();
  }

  return {
    wake,
    async stop() {
      stopping.abort();
      await Promise.all(busy.values());
    },
  };
}

type Act = (context: Parameters<Channel['send']>[1]) => Promise<Outcome>;

/** Null if a newer message of its session has already replaced it. */
function actOf(
  configured: ChannelWithAbilities,
  withdrawal: Withdrawal,
  render: (withdrawal: Withdrawal) => Notification,
): Act | null {
  const { channel } = configured;
  const withdraw = channel.withdraw?.bind(channel);
  const update = channel.update?.bind(channel);
  const { ref, succeeded } = withdrawal;
  if (succeeded && hasAbility(configured, 'replace')) return null;
  if (withdraw !== undefined) return (context) => withdraw(ref, context);
  if (update === undefined) return null;
  return (context) => update(ref, render(withdrawal), context);
}
