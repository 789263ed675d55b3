import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createClient } from '../../../src/vendor/client/index.ts';
import { redactText } from '../../../src/text/redact.ts';
import type { PollerMemory } from '../../../src/core/source-event.ts';
import { startMock } from '../../support/reference-service/reference-server.ts';
import { createReadinessPoll } from '../../../src/vendor/pollers/readiness-poller.ts';
import { raisedEvents, sourceMemory } from '../../support/source-run.ts';

const HOUR = 3_600_000;

/** The source over the reference service. */
async function readinessSource({
  repositories = [],
  memory = sourceMemory(),
}: { readonly repositories?: string[]; readonly memory?: PollerMemory } = {}) {
  const mock = await startMock({ now: Date.parse('2026-06-01T09:00:00Z') });
  const { readiness } = createClient({ appUrl: mock.appUrl, apiKey: () => mock.keys.owner });
  const { raise, events } = raisedEvents();
  const source = (kept: PollerMemory) =>
    createReadinessPoll({
      policy: { repositories },
      reports: () => readiness.list().all({ max: 1_000 }),
      raise,
      memory: kept,
      redact: redactText,
    });
  return {
    mock,
    events,
    memory,
    source,
    look: source(memory),
    /** A later report in which a criterion fails. */
    fall: (fields: object = {}) => {
      mock.clock.advance(HOUR);
      mock.scenario('readiness-falls');
      const [newest] = mock.state().reports.toSorted((a, b) => b.createdAt - a.createdAt);
      Object.assign(newest ?? {}, fields);
    },
    [Symbol.asyncDispose]: () => mock.close(),
  };
}

test('the readiness source reports nothing on its first look, and nothing twice', async () => {
  await using run = await readinessSource();

  assert.equal(await run.look(), 'moving');
  assert.equal(await run.look(), 'still');

  assert.deepEqual(run.events, []);
});

test('the readiness source raises one event for a report in which a criterion fell, with numbers, rationale and both commits', async () => {
  await using run = await readinessSource();
  await run.look();
  run.fall();

  await run.look();
  await run.look();

  const [event, ...more] = run.events;
  assert.deepEqual(more, []);
  assert.deepEqual(
    [event?.kind, event?.event, event?.failed],
    ['notice', 'readiness.regression', false],
  );
  assert.equal(event?.headline, 'Readiness of git.example.com/acme/api fell: tests');
  assert.match(
    event?.details ?? '',
    /^tests 2 of 2 -> 0 of 2: No instructions say how to run them\ncommit [0-9a-f]{12} on main of 2026-06-01, compared with commit [0-9a-f]{12} on main of 2026-06-01$/,
  );
});

test('the readiness source reports a fall once, however many reports repeat it, and again after a recovery', async () => {
  await using run = await readinessSource();
  await run.look();
  for (const fields of [{ hasLocalChanges: true }, { hasLocalChanges: true }, {}, {}]) {
    run.fall(fields);
    await run.look();
  }
  assert.equal(run.events.length, 1);
  assert.match(run.events[0]?.details ?? '', /\(with local changes\), compared with/);

  const passes = { tests: { numerator: 2, denominator: 2, rationale: 'They run' } };
  run.fall({ report: passes });
  await run.look();
  run.fall();
  await run.look();

  assert.equal(run.events.length, 2);
});

test('the readiness source misses no fall between two looks: the newest report counts against what was clean then', async () => {
  await using run = await readinessSource();
  await run.look();

  run.fall();
  run.fall();
  await run.look();

  assert.equal(run.events.length, 1);
});

test('the readiness source raises the same event again if its memory was not saved (a crash between)', async () => {
  await using run = await readinessSource();
  await run.look();
  const before = sourceMemory(await run.memory.read());
  run.fall();

  await run.look();
  await run.source(before)();

  // The store takes an id once.
  assert.equal(run.events.length, 1);
});

test('the readiness source leaves out repositories the configuration does not name', async () => {
  await using run = await readinessSource({
    repositories: ['acme/web', 'https://git.example.com/acme/docs'],
  });
  await run.look();
  run.fall();

  await run.look();

  assert.deepEqual(run.events, []);
});

test('the readiness source forgets nothing over an answer without reports', async () => {
  await using run = await readinessSource();
  await run.look();
  const over = run.mock.fault({ effect: { kind: 'page', fault: 'empty' } });
  await run.look();
  over();
  run.fall();

  await run.look();

  assert.equal(run.events.length, 1);
});
