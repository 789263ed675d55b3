import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import type { Outcome } from '../../src/core/outcome.ts';
import { delivered, failed, retry } from '../../src/core/outcome.ts';
import type { Worker } from '../../src/delivery/worker.ts';
import { deliveryBench } from '../support/delivery-bench.ts';
import type { Answer, Sent } from '../support/fake-channel.ts';
import { silence } from '../support/fake-channel.ts';
import { mortalOutbox } from '../support/mortal-outbox.ts';

const HOUR_MS = 3_600_000;

/** What a far side may do with a message, and whether the message is there afterwards. */
const behaviours = {
  takes: { arrives: true, answer: () => delivered() },
  'refuses for now': { arrives: false, answer: () => retry('Not now') },
  limits: { arrives: false, answer: () => retry('It answered 429', { afterMs: 30_000 }) },
  refuses: { arrives: false, answer: () => failed('Too large') },
  'is revoked': { arrives: false, answer: () => failed('Revoked', { channelBroken: true }) },
  'loses its answer': { arrives: true, answer: () => retry('Reset', { possibleDuplicate: true }) },
  hangs: { arrives: true, answer: silence },
  'stops late': { arrives: true, answer: untilAborted },
  throws: { arrives: true, answer: () => Promise.reject(new TypeError('bug')) },
} as const satisfies Record<string, { readonly arrives: boolean; readonly answer: Answer }>;
type Behaviour = keyof typeof behaviours;
const behaviour = fc.constantFrom<Behaviour[]>(
  'takes',
  'refuses for now',
  'limits',
  'refuses',
  'is revoked',
  'loses its answer',
  'hangs',
  'stops late',
  'throws',
);

function untilAborted({ context: { signal } }: Sent): Promise<Outcome> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(retry('Late', { possibleDuplicate: true })));
  });
}

type Step =
  | { readonly do: 'add'; readonly session: string; readonly inMs: number }
  | { readonly do: 'wait' | 'set the clock'; readonly ms: number }
  | { readonly do: 'crash' | 'stop' | 'reload' | 'fill the disk' | 'make room' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('add' as const),
      session: fc.constantFrom('a', 'b', 'c'),
      inMs: fc.constantFrom(0, 0, 5_000, 600_000),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.constantFrom(1, 500, 20_000, 400_000),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('set the clock' as const),
      ms: fc.constantFrom(-HOUR_MS, 8 * HOUR_MS),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('crash', 'stop', 'reload', 'fill the disk', 'make room'),
    }),
  },
);

/** Plays the steps against a scripted channel, then waits until everything has ended. */
async function play(steps: readonly Step[], answers: readonly Behaviour[]): Promise<void> {
  const { clock, store, channel, start } = deliveryBench();
  const arrived = new Set<string>();
  const slack = channel({
    timeoutMs: 10_000,
    answer: (sent) => {
      if (arrived.has(sent.id)) {
        assert.ok(sent.notification.possibleDuplicate, `${sent.id} was sent again unmarked`);
      }
      const { arrives, answer } =
        behaviours[answers[slack.sent.length % answers.length] ?? 'takes'];
      if (arrives) arrived.add(sent.id);
      return answer(sent);
    },
  });
  let mortal = mortalOutbox(store);
  let worker = start({ slack }, { outbox: mortal.outbox });
  const restart = (): void => {
    mortal = mortalOutbox(store);
    worker = start({ slack }, { outbox: mortal.outbox });
  };

  for (const one of steps) {
    switch (one.do) {
      case 'add':
        store.add({
          channel: 'slack',
          event: { sessionKey: one.session },
          delivery: { dueAt: clock.now() + one.inMs },
        });
        worker.wake();
        break;
      case 'wait':
        await clock.advance(one.ms);
        break;
      case 'set the clock':
        clock.jump(one.ms);
        break;
      case 'crash':
        mortal.die();
        restart();
        break;
      case 'stop': {
        const stopped = worker.stop({ graceMs: 5_000 });
        await clock.advance(5_000);
        await stopped;
        restart();
        break;
      }
      case 'reload':
        void worker.replaceChannels(new Map([['slack', slack]]));
        break;
      case 'fill the disk':
        store.breakDown('recordAttempt', 'claim', 'release', 'saveChannelState');
        break;
      case 'make room':
        store.breakDown();
        break;
    }
  }
  store.breakDown();
  await clock.advance(60_000);
  const due = (await store.dueTimes()).get('slack') ?? Number.POSITIVE_INFINITY;
  assert.ok(due > clock.now() || isHeld(worker, clock.now()), 'something due is not being sent');

  slack.answer(() => delivered());
  void worker.replaceChannels(new Map([['slack', slack]]));
  // However far the clock was set back, in the end it is later than all due times.
  const latest = Math.max(0, ...store.deliveries().map(({ dueAt }) => dueAt));
  clock.jump(Math.max(0, latest - clock.now()));
  await clock.advance(2 * HOUR_MS);
  for (const { id, state } of store.deliveries()) {
    assert.ok(state === 'sent' || state === 'dead', `${id} is ${state} in the end`);
  }
}

/** True while the channel as a whole waits for something that ends by itself or by a person. */
function isHeld(worker: Worker, now: number): boolean {
  const [channel] = worker.state();
  if (channel === undefined) return false;
  return channel.circuit !== 'closed' || channel.notBefore > now || channel.inFlight > 0;
}

/** Once a loop without an end: the wait of a 429 was then further ahead than any may be, and the next 429 kept it. */
const setBackWhileLimited: [Step[], Behaviour[]] = [
  [
    { do: 'add', session: 'b', inMs: 5_000 },
    { do: 'wait', ms: 20_000 },
    { do: 'add', session: 'c', inMs: 600_000 },
    { do: 'set the clock', ms: -3_600_000 },
  ],
  ['limits'],
];

describe('whatever channels, store, clock and daemon do', () => {
  test('nothing is sent again unmarked, and everything comes to an end (faults 3, 6, 7, 12, 26)', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 40 }),
        fc.array(behaviour, { minLength: 1, maxLength: 12 }),
        play,
      ),
      { numRuns: 100, examples: [setBackWhileLimited] },
    );
  });
});
