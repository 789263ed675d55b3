import type { Channel, ChannelLimits, SendContext } from '../../src/core/channel.ts';
import type { Notification } from '../../src/core/notification.ts';
import type { Outcome } from '../../src/core/outcome.ts';
import { delivered } from '../../src/core/outcome.ts';

/** What the channel was asked to send, and when. */
export interface Sent {
  readonly id: string;
  readonly at: number;
  readonly notification: Notification;
  readonly context: SendContext;
}

export type Answer = (sent: Sent) => Outcome | Promise<Outcome>;

export interface FakeChannel {
  readonly channel: Channel;
  readonly limits: ChannelLimits;
  readonly sent: readonly Sent[];
  /** Ids of deliveries, in the order they were sent. */
  readonly ids: () => readonly string[];
  /** From now on it answers so. */
  readonly answer: (next: Answer) => void;
}

/** A channel that answers as the test says (delivered by default) and records what it was given. */
export function fakeChannel({
  now,
  answer: first = () => delivered(),
  ...limits
}: {
  readonly now: () => number;
  readonly answer?: Answer;
} & Partial<ChannelLimits>): FakeChannel {
  const sent: Sent[] = [];
  let answer = first;
  return {
    sent,
    ids: () => sent.map(({ id }) => id),
    answer(next) {
      answer = next;
    },
    limits: {
      timeoutMs: 10_000,
      concurrency: 4,
      burst: 1_000,
      refillMs: 0,
      maxAttempts: 12,
      ...limits,
    },
    channel: {
      send(notification, context) {
        const one = { id: notification.deliveryId, at: now(), notification, context };
        sent.push(one);
        return Promise.resolve(answer(one));
      },
      check: () => Promise.resolve({ ok: true, summary: 'Works' }),
      close: () => Promise.resolve(),
    },
  };
}

/** Never answers, whatever becomes of the signal. */
export function silence(): Promise<Outcome> {
  return new Promise(() => {});
}

/** Holds answers until the test gives one: `give` answers everything that waits. */
export function heldAnswers(): {
  readonly answer: Answer;
  readonly give: (outcome: Outcome) => void;
} {
  const waiting: ((outcome: Outcome) => void)[] = [];
  return {
    answer: () => new Promise((resolve) => waiting.push(resolve)),
    give(outcome) {
      for (const resolve of waiting.splice(0)) resolve(outcome);
    },
  };
}
