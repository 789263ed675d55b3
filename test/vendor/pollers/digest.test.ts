import assert from 'node:assert/strict';
import { test } from 'node:test';

import { z } from 'zod';

import { addDays, createClient } from '../../../src/vendor/client/index.ts';
import type { DigestPolicy } from '../../../src/config/report-schema.ts';
import { createRedactor } from '../../../src/text/redact.ts';
import { noAudit } from '../../../src/vendor/reports/digest-audit.ts';
import { startMock } from '../../support/reference-service/reference-server.ts';
import { waitingReport } from '../../../src/alerts/waiting-report.ts';
import { createDigestPoller } from '../../../src/vendor/pollers/digest-poller.ts';
import { raisedEvents, sourceMemory } from '../../support/source-run.ts';

const Concerns = z.object({
  page: z.string(),
  concerns: z.object({ email: z.string().nullable() }),
});

const policy: DigestPolicy = {
  every: 'day',
  weekday: 1,
  notify: ['mail'],
  each: [],
  users: false,
  schedule: { at: 480, until: 840, timezone: 'UTC' },
};
const own = { events: 1, sent: {}, questions: 0, answered: 0, waitsMs: [] };

/** A source over the days of the reference service; `today` is moved by the test. */
async function digestSource(fields: Partial<DigestPolicy> = {}, memory = sourceMemory()) {
  const mock = await startMock({ now: Date.parse('2026-06-01T09:00:00Z') });
  let today = '2026-04-14';
  const now = (): number => Date.parse(`${today}T09:00:00Z`);
  const { analytics } = createClient({ baseUrl: mock.baseUrl, apiKey: () => mock.keys.owner, now });
  const { raise, events } = raisedEvents();
  const asked: string[] = [];
  const source = createDigestPoller({
    policy: { ...policy, ...fields },
    rate: null,
    analytics,
    audit: () => Promise.resolve(noAudit),
    redactor: createRedactor({ prefixes: [], keys: [] }),
    usage: ({ from, to }) => {
      asked.push(`${new Date(from).toISOString()} ${new Date(to).toISOString()}`);
      return Promise.resolve(own);
    },
    waiting: (query) => Promise.resolve(waitingReport([], { ...query, gaps: [] })),
    raise,
    memory,
    now,
    signal: new AbortController().signal,
  });
  return {
    mock,
    events,
    asked,
    source,
    memory,
    on: (day: string, options = { mayWait: true }) => {
      today = day;
      return source.work(addDays(day, -1), options);
    },
    [Symbol.asyncDispose]: () => mock.close(),
  };
}

test('the digest source raises one digest a day, however often it is asked, with a page and a text', async () => {
  await using run = await digestSource();

  assert.equal(await run.on('2026-04-15'), 'done');
  assert.equal(await run.on('2026-04-15'), 'done');

  const [event, ...more] = run.events;
  assert.deepEqual(more, []);
  assert.deepEqual([event?.kind, event?.event], ['digest', 'digest.daily']);
  assert.match(event?.headline ?? '', /^Agents on 2026-04-14 \(UTC\): [\d,]+ standard credits/);
  assert.match(JSON.stringify(event?.payload), /^\{"page":"<!doctype html>/);
  assert.equal(run.asked[0], '2026-04-14T00:00:00.000Z 2026-04-15T00:00:00.000Z');
});

test('the weekly digest is sent on its day alone, and made up for when the machine was off then', async () => {
  await using run = await digestSource({ every: 'week' });
  const days = ['2026-04-19', '2026-04-20', '2026-04-21', '2026-04-28', '2026-05-04'];

  for (const day of days) await run.on(day);

  assert.deepEqual(
    run.events.map(({ id }) => id),
    ['digest week 2026-04-19', 'digest week 2026-04-27', 'digest week 2026-05-03'],
  );
});

test('the digest source waits for a day that is late, and then says that it is not ready (acceptance 088)', async () => {
  await using run = await digestSource();
  run.mock.scenario('zero-batch');

  assert.equal(await run.on('2026-06-01'), 'waiting');
  assert.equal(run.events.length, 0);
  assert.equal(await run.on('2026-06-01', { mayWait: false }), 'waiting');

  assert.match(run.events[0]?.details ?? '', /No data yet, not in the sums: 2026-05-31 \(UTC\)/);
});

test('the digest source steps back from a day the service still takes for today (acceptance 082)', async () => {
  await using run = await digestSource();

  // The client's clock is two days ahead of the service's.
  assert.equal(await run.on('2026-06-02'), 'waiting');
  assert.equal(run.events.length, 0);
});

test('the digest source gives each person who used credits a personal digest, without figures of anyone else', async () => {
  await using run = await digestSource({ each: ['mail'] });

  await run.on('2026-04-15');
  await run.on('2026-04-15');

  const [all, ...personal] = run.events;
  assert.equal(all?.event, 'digest.daily');
  assert.ok(personal.length > 1);
  const people = personal.map(({ payload }) => Concerns.parse(payload).concerns.email ?? '');
  assert.equal(new Set(people).size, personal.length);
  for (const [index, { event, headline, id, payload }] of personal.entries()) {
    const person = people[index] ?? '';
    assert.equal(event, 'digest.personal');
    assert.equal(id, `digest day 2026-04-14 of ${person}`);
    assert.match(headline, /^Your agents on 2026-04-14 \(UTC\): [\d,]+ standard credits/);
    const { page } = Concerns.parse(payload);
    assert.ok(
      people.every((other) => !page.includes(other)),
      'a person is named',
    );
  }
});
