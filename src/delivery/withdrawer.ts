import type { Channel } from '../core/channel.ts';
import { type Log, silentLog } from '../platform/log.ts';
import type { Notification } from '../core/notification.ts';
import type { Outcome } from '../core/outcome.ts';
import type { ShownNotifications, WholeDelivery, Withdrawal } from '../core/outbox.ts';
import { runAttempt } from './attempt.ts';
import { hasAbility, type RunningChannel, type RunningChannels } from './running-channel.ts';
import { type StartTimer, systemTimer } from '../platform/time.ts';

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
const TRIES = 2;

type ChannelWithAbilities = Pick<RunningChannel, 'channel' | 'limits' | 'can'>;

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
    try {
      do {
        again.delete(name);
        const taken = await shown.takeWithdrawals(name, BATCH);
        if (taken.length === BATCH) again.add(name);
        for (const withdrawal of taken) await takeBack(withdrawal, configured);
      } while (again.has(name) && !stopping.signal.aborted);
    } catch (error) {
      log.warn({ channel: name, err: error }, 'Cannot withdraw notifications');
    }
  }

  async function takeBack(withdrawal: Withdrawal, configured: ChannelWithAbilities): Promise<void> {
    const act = actOf(configured, withdrawal, render);
    if (act === null) return;
    const { id: deliveryId, channel: name } = withdrawal.delivery;
    for (let attempt = 1; attempt <= TRIES && !stopping.signal.aborted; attempt += 1) {
      const { outcome } = await runAttempt({
        send: (signal) => act({ signal, carry: null, attempt }),
        timeoutMs: configured.limits.timeoutMs,
        shutdown: stopping.signal,
        startTimer,
      });
      if (outcome.type === 'delivered') return;
      log.info(
        { channel: name, deliveryId, reason: outcome.reason },
        'Cannot withdraw a notification',
      );
      if (outcome.type === 'failed') return;
    }
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
