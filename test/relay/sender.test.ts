import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ConfigError } from '../../src/platform/errors.ts';
import type { HookRecord } from '../../src/core/hook-event.ts';
import { silentLog } from '../../src/platform/log.ts';
import type { RelayOutcome } from '../../src/core/relay.ts';
import type { RelayLink, LinkTrouble, Sent } from '../../src/relay/link.ts';
import { createSender, type Sender } from '../../src/relay/sender.ts';
import { deferred } from '../support/deferred.ts';
import { NOW, sampleRecord } from '../support/store.ts';

const mixed = (): Sent => ({
  type: 'ok',
  results: [
    { id: 'a', verdict: 'known' },
    { id: 'b', verdict: 'refused', reason: 'it is\u001b[31m malformed' },
  ],
});

const nothing = (): Sent => ({ type: 'ok', results: [] });

const noToken = (): Promise<never> => Promise.reject(new ConfigError('Cannot read the secret'));

interface Run {
  readonly sender: Sender;
  readonly sent: (readonly string[])[];
  readonly settled: RelayOutcome[];
  /** The reported troubles; null: reported as over. */
  readonly troubles: (string | null)[];
  /** How long it waited, ms. */
  readonly waits: number[];
  /** How many batches had been sent whenever it gave up what is too old. */
  readonly givenUpAfter: number[];
  readonly links: { readonly opened: number; readonly closed: number };
}

type Answer = LinkTrouble | ((records: readonly HookRecord[]) => Sent);

const takeAll = (records: readonly HookRecord[]): Sent => ({
  type: 'ok',
  results: records.map(({ event }) => ({ id: event.id, verdict: 'committed' })),
});

/** Sends events by a link that answers this, in order; ends when it has nothing more to do, or no answer is left. */
async function run(
  ids: readonly string[],
  answers: readonly Answer[],
  {
    open,
    greeted = { type: 'ok', isHub: false, machine: 'devbox' },
  }: {
    readonly open?: () => Promise<never>;
    readonly greeted?: Awaited<ReturnType<RelayLink['greet']>>;
  } = {},
): Promise<Run> {
  let waiting = ids.map((id) => sampleRecord({ id }));
  const left = [...answers];
  const ended = deferred();
  const sent: (readonly string[])[] = [];
  const settled: RelayOutcome[] = [];
  const troubles: (string | null)[] = [];
  const waits: number[] = [];
  const givenUpAfter: number[] = [];
  const links = { opened: 0, closed: 0 };
  const sender = createSender({
    outbox: {
      batch: ({ limit }) => Promise.resolve(waiting.slice(0, Math.min(limit, 2))),
      complete: (all) => {
        settled.push(...all);
        waiting = waiting.filter(({ event }) => !all.some(({ eventId }) => eventId === event.id));
        return Promise.resolve();
      },
      giveUp: () => {
        givenUpAfter.push(sent.length);
        return Promise.resolve(0);
      },
      backlog: () => Promise.resolve({ count: waiting.length, since: NOW - 2 * 86_400_000 }),
    },
    to: 'home',
    complete: (records) => Promise.resolve(records),
    open:
      open ??
      (() => {
        links.opened += 1;
        return Promise.resolve({
          greet: () => Promise.resolve(greeted),
          send: (records) => {
            sent.push(records.map(({ event }) => event.id));
            const answer = left.shift();
            assert.ok(answer, 'It was sent once too often');
            return Promise.resolve(typeof answer === 'function' ? answer(records) : answer);
          },
          close: () => void (links.closed += 1),
        });
      }),
    keepMs: () => 1,
    onTrouble: (text) => troubles.push(text),
    now: () => NOW,
    log: silentLog,
    random: () => 0.5,
    wait: (ms) => {
      waits.push(ms);
      if (left.length > 0 && waits.length < 20) return Promise.resolve();
      ended.resolve();
      return new Promise(() => {});
    },
  });
  sender.start();
  await ended.promise;
  return { sender, sent, settled, troubles, waits, givenUpAfter, links };
}

test('createSender() hands on batch by batch, in order, without a pause in between', async () => {
  const { sent, waits, sender } = await run(['a', 'b', 'c'], [takeAll, takeAll]);

  assert.deepEqual(sent, [['a', 'b'], ['c']]);
  assert.deepEqual(waits, [60_000]);
  assert.deepEqual(sender.state(), { state: 'ok', reason: null, lastAt: NOW });
});

test('createSender() keeps a batch until the other machine has accepted it', async () => {
  const lost: LinkTrouble = { type: 'unreachable', reason: 'connection lost' };

  const { sent, settled, waits } = await run(['a'], [lost, lost, takeAll]);

  assert.deepEqual(sent, [['a'], ['a'], ['a']]);
  assert.equal(settled.length, 1);
  // Half of the doubled second, with no chance in it.
  assert.deepEqual(waits, [1_000, 2_000, 60_000]);
});

test('createSender() takes out what the other side knew already, and says why it refused what it refused', async () => {
  const { settled } = await run(['a', 'b'], [mixed]);

  assert.deepEqual(settled, [
    { eventId: 'a', refusal: null },
    { eventId: 'b', refusal: 'Refused by home: it is malformed' },
  ]);
});

test('createSender() keeps what the answer does not mention, and does not run in circles over it', async () => {
  const { settled, waits } = await run(['a'], [nothing, takeAll]);

  assert.deepEqual(settled, [{ eventId: 'a', refusal: null }]);
  assert.deepEqual(waits, [1_000, 60_000]);
});

test('createSender() pauses for five minutes after a refused token, and reports it', async () => {
  const refused: LinkTrouble = { type: 'refused', reason: 'it rejected the token' };

  const { waits, troubles } = await run(['a'], [refused, takeAll]);

  assert.deepEqual(waits, [300_000, 60_000]);
  assert.deepEqual(troubles, ['Events wait to be relayed to home: it rejected the token', null]);
});

test('createSender() reads the token again after a refusal (A14)', async () => {
  const refused: LinkTrouble = { type: 'refused', reason: 'it rejected the token' };

  const { links } = await run(['a'], [refused, takeAll]);

  assert.deepEqual(links, { opened: 2, closed: 1 });
});

test('check() reads the token again after a refusal, so it reports a token that was replaced (A14)', async () => {
  const { sender, links } = await run(['a'], [takeAll], {
    greeted: { type: 'refused', reason: 'it rejected the token' },
  });

  assert.equal((await sender.check()).ok, false);
  await sender.check();

  assert.deepEqual(links, { opened: 2, closed: 2 });
});

test('createSender() reports a wrong clock, by how much and which way', async () => {
  const { troubles } = await run(['a'], [{ type: 'clock', aheadMs: -720_000 }, takeAll]);

  assert.match(
    troubles[0] ?? '',
    /the clock here is 12 min behind the one there \(2023-11-14T22:13:20.000Z here, 2023-11-14T22:25:20.000Z there\), at most 5 min is allowed/,
  );
});

test('createSender() waits as long as a busy side asks it to', async () => {
  const later: LinkTrouble = { type: 'later', reason: 'it is busy', afterMs: 7_000 };

  assert.deepEqual((await run(['a'], [later, takeAll])).waits, [7_000, 60_000]);
});

test('createSender() reports a link that has been down for more than a day', async () => {
  const down: LinkTrouble = { type: 'unreachable', reason: 'connection refused' };

  const { troubles } = await run(['a'], [down, takeAll]);

  assert.match(troubles[0] ?? '', /^1 event could not be relayed to home for more than a day/);
});

test('createSender() reports a token that cannot be read', async () => {
  const { troubles, sender } = await run(['a'], [], { open: noToken });

  assert.equal(troubles[0], 'Events wait to be relayed to home: Cannot read the secret');
  assert.equal((await sender.check()).ok, false);
});

test('createSender() gives up what is too old only after an attempt that failed (A4)', async () => {
  const down: LinkTrouble = { type: 'unreachable', reason: 'connection refused' };

  assert.deepEqual((await run(['a'], [takeAll])).givenUpAfter, []);
  assert.deepEqual((await run(['a'], [down, takeAll])).givenUpAfter, [1]);
});
