import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { LookedUp } from '../../src/core/looked-up.ts';
import type { ClaimedDelivery } from '../../src/core/outbox.ts';
import type { Enricher } from '../../src/delivery/enrich.ts';
import { createEnricher } from '../../src/delivery/enrich.ts';
import { deliveryBench } from '../support/delivery-bench.ts';
import type { LookUpStage } from '../support/look-up-stage.ts';
import { lookUpStage } from '../support/look-up-stage.ts';
import { deliveryStore, firstClaim } from '../support/delivery-store.ts';
import { sampleSession } from '../support/store.ts';

interface EnrichStage {
  readonly enricher: Enricher;
  readonly kept: Map<string, LookedUp>;
  readonly read: string[];
}

/** An enricher on a look-up of the reference service; transcripts are titled "In the transcript". */
function enrichStage({ lookUp, clock }: LookUpStage): EnrichStage {
  const kept = new Map<string, LookedUp>();
  const read: string[] = [];
  const enricher = createEnricher({
    lookUp: () => lookUp,
    readTranscriptTitle: (path) => {
      read.push(path);
      return Promise.resolve('In the transcript');
    },
    sessions: {
      noteLookedUp: (key, change) => {
        kept.set(key, change(kept.get(key) ?? null));
        return Promise.resolve();
      },
    },
    now: clock.now,
    startTimer: clock.startTimer,
  });
  return { enricher, kept, read };
}

async function claimed(
  { clock }: LookUpStage,
  sessionId: string,
  event: object = {},
  fields: object = {},
): Promise<ClaimedDelivery> {
  const store = deliveryStore(clock);
  const key = `droid:${sessionId}`;
  store.add({
    channel: 'desktop',
    event: { agent: 'droid', sessionId, at: clock.now(), kind: 'turn.done', ...event },
    session: sampleSession({ key, sessionId, agent: 'droid', ...fields }),
  });
  return firstClaim(store, 'desktop');
}

const titleOf = ({ session }: ClaimedDelivery): string | null => session?.lookedUp?.title ?? null;

describe('createEnricher()', () => {
  test('adds what the service says, keeps it, and asks nothing more for the next delivery', async () => {
    await using stage = await lookUpStage();
    const { enricher, kept } = enrichStage(stage);
    const { sessionId, title } = stage.session;

    const ready = await enricher.prepare(await claimed(stage, sessionId));
    const next = enricher.prepare(await claimed(stage, sessionId));
    await enricher.stop();

    assert.equal(titleOf(ready), title);
    assert.ok(!(next instanceof Promise));
    assert.equal(titleOf(next), title);
    assert.equal(kept.get(`droid:${sessionId}`)?.title, title);
    assert.equal(kept.get(`droid:${sessionId}`)?.stops.length, 1);
  });

  test('waits 800 ms for a service that hangs and goes on without it; what comes later is kept', async () => {
    await using stage = await lookUpStage();
    const { enricher, kept } = enrichStage(stage);
    const { sessionId, title } = stage.session;
    let isReady = false;
    // Answers, but not before the test lets it: the client waits for the real time of the fault.
    stage.service.fault({ match: { nth: 1 }, effect: { kind: 'latency', ms: 300 } });

    const preparing = Promise.resolve(enricher.prepare(await claimed(stage, sessionId)));
    void preparing.then(() => (isReady = true));
    await stage.received(1);
    await stage.clock.advance(799);
    assert.equal(isReady, false);
    await stage.clock.advance(1);
    assert.equal(titleOf(await preparing), null);

    await stage.lookUp.ask(sessionId);
    await stage.clock.settle();
    assert.equal(kept.get(`droid:${sessionId}`)?.title, title);
  });

  test("asks the service about proved sessions of the vendor's agent only", async () => {
    await using stage = await lookUpStage();
    const { enricher } = enrichStage(stage);
    const { sessionId } = stage.session;
    await stage.lookUp.ask(sessionId);
    const before = stage.asked().length;

    const others = [{ agent: 'claude' }, { facts: { agent: 'droid', unproved: 'yes' } }];
    for (const fields of others) {
      const known = await enricher.prepare(await claimed(stage, sessionId, {}, fields));
      await enricher.prepare(await claimed(stage, 'other', {}, fields));

      assert.equal(titleOf(known), null);
    }
    await stage.clock.settle();

    assert.equal(stage.asked().length, before);
  });

  test('does not wait for a slow service', async () => {
    await using stage = await lookUpStage();
    const { enricher } = enrichStage(stage);
    stage.service.fault({ effect: { kind: 'hang' } });

    const first = enricher.prepare(await claimed(stage, 'a'));
    assert.ok(first instanceof Promise);
    await stage.received(1);
    await stage.clock.advance(801);
    await first;

    assert.ok(!(enricher.prepare(await claimed(stage, 'b')) instanceof Promise));
  });

  test('opens a transcript only for a session without a title, and once', async () => {
    await using stage = await lookUpStage();
    const { enricher, read } = enrichStage(stage);
    const { sessionId } = stage.session;
    const transcript = { transcriptPath: '/t.jsonl' };
    await stage.lookUp.ask(sessionId);

    await enricher.prepare(await claimed(stage, sessionId, transcript));
    await enricher.prepare(await claimed(stage, 'titled', { ...transcript, title: 'A title' }));
    assert.deepEqual(read, []);

    const found = await enricher.prepare(await claimed(stage, 'untitled', transcript));
    await enricher.prepare(await claimed(stage, 'untitled', transcript));
    assert.equal(found.session?.lookedUp?.transcriptTitle, 'In the transcript');
    assert.deepEqual(read, ['/t.jsonl']);
  });
});

describe('a worker that makes deliveries ready', () => {
  test('a delivery whose look-up hangs keeps no other one back, not even on a channel that sends one at a time', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const desktop = channel({ concurrency: 1 });
    let release: (() => void) | undefined;
    const slow = store.add({ channel: 'desktop', event: { sessionId: 'slow' } });
    const quick = store.add({ channel: 'desktop', event: { sessionId: 'quick' } });

    start(
      { desktop },
      {
        prepare: (one) =>
          one.event.sessionId === 'slow' && release === undefined
            ? new Promise((resolve) => (release = () => resolve(one)))
            : one,
      },
    );
    await clock.advance(100);
    assert.deepEqual(desktop.ids(), [quick]);

    release?.();
    await clock.advance(100);
    assert.deepEqual(desktop.ids(), [quick, slow]);
    assert.deepEqual([store.delivery(slow).state, store.delivery(slow).attempts], ['sent', 1]);
  });

  test('a delivery that became ready while its channel is busy is sent afterwards, once', async () => {
    const { clock, store, channel, start } = deliveryBench();
    let finish: (() => void) | undefined;
    const desktop = channel({
      concurrency: 1,
      answer: () =>
        finish === undefined
          ? new Promise((resolve) => (finish = () => resolve({ type: 'delivered' })))
          : { type: 'delivered' },
    });
    let release: (() => void) | undefined;
    const slow = store.add({ channel: 'desktop', event: { sessionId: 'slow' } });
    const quick = store.add({ channel: 'desktop', event: { sessionId: 'quick' } });

    start(
      { desktop },
      {
        prepare: (one) =>
          one.event.sessionId === 'slow' && release === undefined
            ? new Promise((resolve) => (release = () => resolve(one)))
            : one,
      },
    );
    await clock.advance(100);
    release?.();
    await clock.advance(100);
    assert.deepEqual(desktop.ids(), [quick]);

    finish?.();
    await clock.advance(2_000);
    assert.deepEqual(desktop.ids(), [quick, slow]);
  });

  test('stop() waits for what is made ready and leaves it in the outbox', async () => {
    const { clock, store, channel, start } = deliveryBench();
    const desktop = channel();
    let release: (() => void) | undefined;
    const id = store.add({ channel: 'desktop' });
    const worker = start(
      { desktop },
      { prepare: (one) => new Promise((resolve) => (release = () => resolve(one))) },
    );
    await clock.settle();

    const stopped = worker.stop({ graceMs: 4_000 });
    release?.();
    await stopped;

    assert.deepEqual([desktop.ids(), store.delivery(id).state], [[], 'pending']);
    const { attempts } = store.delivery(id);
    assert.equal(attempts, 0);
  });
});
