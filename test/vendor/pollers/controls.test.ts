import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createClient } from '../../../src/vendor/client/index.ts';
import { createRedactor } from '../../../src/text/redact.ts';
import type { PollerMemory } from '../../../src/core/source-event.ts';
import { startMock } from '../../support/reference-service/reference-server.ts';
import { createControlsPoll } from '../../../src/vendor/pollers/controls-poller.ts';
import { raisedEvents, sourceMemory } from '../../support/source-run.ts';

/** The source over the reference service. */
async function controlsSource(memory: PollerMemory = sourceMemory()) {
  const mock = await startMock({ now: Date.parse('2026-06-01T09:00:00Z') });
  const { organization } = createClient({ baseUrl: mock.baseUrl, apiKey: () => mock.keys.owner });
  const { raise, events } = raisedEvents();
  const source = (kept: PollerMemory) =>
    createControlsPoll({
      pages: () => organization.history({ limit: 5 }).pages(),
      raise,
      memory: kept,
      redactor: createRedactor({ prefixes: [], keys: [] }),
    });
  return {
    mock,
    events,
    memory,
    source,
    look: source(memory),
    [Symbol.asyncDispose]: () => mock.close(),
  };
}

test('the controls source reports nothing on its first look, which reads one page, and nothing twice', async () => {
  await using run = await controlsSource();

  await run.look();
  await run.look();

  assert.deepEqual(run.events, []);
  assert.equal(run.mock.requests().length, 2);
  assert.deepEqual(await run.memory.read(), { revision: 26 });
});

test('the controls source raises a critical event for what loosens, with who, when, and from what to what', async () => {
  await using run = await controlsSource();
  await run.look();
  run.mock.scenario('controls-loosened');

  assert.equal(await run.look(), 'moving');
  assert.equal(await run.look(), 'still');

  const [event, ...more] = run.events;
  assert.deepEqual(more, []);
  assert.deepEqual(
    [event?.kind, event?.event, event?.failed],
    ['notice', 'controls.loosened', true],
  );
  assert.match(
    event?.headline ?? '',
    /^\S+ \S+ loosened the enterprise controls: commandAllowlist and \d more$/,
  );
  assert.match(
    event?.details ?? '',
    /^commandAllowlist \+ "deploy-27" \(high: an allow list is longer\)$/m,
  );
  assert.match(
    event?.details ?? '',
    /^customModels\["custom:team-llm"\]\.apiKey was changed \(a secret\)$/m,
  );
  assert.match(event?.details ?? '', /^Revision 27 after 26, by .* on 2026-06-01 09:00 UTC$/m);
});

test('the controls source reports every revision it missed, over pages and gaps, the oldest first (acceptance 171)', async () => {
  await using run = await controlsSource(sourceMemory({ revision: 11 }));

  await run.look();

  assert.deepEqual(
    run.events.map(({ about }) => about),
    [12, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26].map((number) => `controls/${number}`),
  );
  const named = (number: number) => run.events.find(({ about }) => about === `controls/${number}`);
  assert.deepEqual(
    [14, 16, 21, 24].map((number) => named(number)?.event),
    ['controls.loosened', 'controls.changed', 'controls.loosened', 'controls.loosened'],
  );
  assert.match(run.events[1]?.details ?? '', /^Revision 14 after 12, by /m);
});

test('the controls source continues after the last reported revision following a crash', async () => {
  await using run = await controlsSource(sourceMemory({ revision: 24 }));
  let writes = 0;
  const failing: PollerMemory = {
    read: () => run.memory.read(),
    write: (value) => {
      writes += 1;
      return writes > 1 ? Promise.reject(new Error('The disk is full')) : run.memory.write(value);
    },
  };

  await assert.rejects(run.source(failing)());
  assert.deepEqual(await run.memory.read(), { revision: 25 });
  await run.look();

  assert.deepEqual(
    run.events.map(({ about }) => about),
    ['controls/25', 'controls/26'],
  );
});

test('the controls source keeps, raises and repeats no secret (acceptance 179, 180)', async () => {
  await using run = await controlsSource(sourceMemory({ revision: 1 }));
  await run.look();
  run.mock.scenario('controls-loosened');

  await run.look();

  assert.equal(run.events.length, 25);
  assert.doesNotMatch(JSON.stringify([run.events, await run.memory.read()]), /mock-secret/);
});

for (const page of ['short', 'overlapping', 'shuffled'] as const) {
  test(`the controls source reports each revision once over pages that are ${page}`, async () => {
    await using run = await controlsSource(sourceMemory({ revision: 20 }));
    run.mock.fault({
      effect: page === 'shuffled' ? { kind: 'shuffle' } : { kind: 'page', fault: page },
    });

    await run.look();

    assert.deepEqual(
      run.events.map(({ about }) => about),
      [21, 22, 23, 24, 25, 26].map((number) => `controls/${number}`),
    );
  });
}

test('the controls source begins anew with a history whose numbers went back', async () => {
  await using run = await controlsSource(sourceMemory({ revision: 900 }));

  await run.look();

  assert.deepEqual(run.events, []);
  assert.deepEqual(await run.memory.read(), { revision: 26 });
});
