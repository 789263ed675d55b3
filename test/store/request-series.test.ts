import assert from 'node:assert/strict';
import { test } from 'node:test';

import { requestName } from '../../src/alerts/requests/request-rows.ts';
import type { HookEvent } from '../../src/core/hook-event.ts';
import { loadShellParser } from '../../src/platform/shell-syntax.ts';
import { waitingRun, type WaitingRun } from '../support/waiting-run.ts';

const T = Date.UTC(2026, 0, 5, 10);
const MINUTE = 60_000;
const always = { since: 0, until: Number.MAX_SAFE_INTEGER };
const asks = (text: string, fields: Partial<HookEvent> = {}): Partial<HookEvent> => ({
  kind: 'needs.permission',
  event: 'PermissionRequest',
  tool: 'Bash',
  subject: text,
  asked: { action: 'run', text, options: [] },
  ...fields,
});

/** Two requests of this machine that were allowed, a question, and a request of another machine. */
async function recorded(run: WaitingRun): Promise<void> {
  const fed: readonly Partial<HookEvent>[] = [
    asks('npm test'),
    asks('rm -rf build'),
    { kind: 'needs.input', asked: { action: 'answer', text: 'Which?', options: [] } },
    asks('npm test', { machine: 'box', sessionKey: 'box/claude:s1' }),
  ];
  for (const [index, fields] of fed.entries()) {
    const at = T + index * MINUTE;
    const { machine = null } = fields;
    await run.feed({ ...fields, at });
    await run.feed({
      machine,
      ...(machine !== null && { sessionKey: 'box/claude:s1' }),
      kind: fields.kind === 'needs.input' ? 'prompt' : 'tool.done',
      tool: 'Bash',
      subject: fields.subject ?? null,
      toolMs: 0,
      at: at + 2_000,
    });
  }
  await run.measure();
}

async function nameAll(run: WaitingRun): Promise<number> {
  const parse = await loadShellParser();
  return run.store.waits.nameRequests({ nameOf: (event) => requestName(event, parse), limit: 100 });
}

test('waits.nameRequests() names each measured request of this machine once', async () => {
  await using run = await waitingRun();
  await recorded(run);

  assert.deepEqual([await nameAll(run), await nameAll(run)], [3, 0]);
  const series = await run.store.waits.requests(always);

  assert.deepEqual(
    series
      .map(({ request, answer, waitsMs }) => [request, answer, waitsMs])
      .toSorted((a, b) => (String(a) < String(b) ? -1 : 1)),
    [
      [['Question', []], null, [2_000]],
      [['npm test:*', []], 'allowed', [2_000]],
      [['rm -rf build', ['deletes']], 'allowed', [2_000]],
    ],
  );
});

test('waits.measuredRequests() has requests with their events, waits.toolCalls() the newest calls', async () => {
  await using run = await waitingRun();
  await recorded(run);
  await nameAll(run);

  const requests = await run.store.waits.measuredRequests({ ...always, limit: 10 });
  const calls = await run.store.waits.toolCalls({ since: 0, before: 1e9, limit: 10 });

  assert.deepEqual(
    new Set(requests.map(({ event }) => event.asked?.text)),
    new Set(['Which?', 'npm test', 'rm -rf build']),
  );
  assert.deepEqual(
    calls.map(({ event }) => event.subject),
    ['rm -rf build', 'npm test'],
  );
  const older = await run.store.waits.toolCalls({
    since: 0,
    before: calls[0]?.seq ?? 0,
    limit: 10,
  });
  assert.deepEqual(
    older.map(({ event }) => event.subject),
    ['npm test'],
  );
});

test('the name of a request is forgotten with its wait, when the history is', async () => {
  await using run = await waitingRun();
  await recorded(run);
  await nameAll(run);

  await run.store.upkeep.prune({ keepMs: 0, before: T + 90 * MINUTE, maxBytes: 1e9 });

  assert.deepEqual(await run.store.waits.requests(always), []);
  assert.deepEqual(await run.store.waits.measuredRequests({ ...always, limit: 9 }), []);
});

test('a request whose wait ended before its answer was known was allowed if its call was made', async () => {
  await using run = await waitingRun();
  for (const [index, kind] of (['tool.done', 'turn.interrupted', 'activity'] as const).entries()) {
    const at = T + index * 10 * MINUTE;
    const subject = `call ${index}`;
    const { id: eventId, sessionKey } = await run.feed({ ...asks('npm test'), subject, at });
    await run.store.alerts.answerRequest({
      eventId,
      sessionKey,
      at: at + 3_000,
      isTurnOver: false,
      via: 'desktop',
      reason: 'Answered',
      exceptChannels: [],
    });
    await run.feed({ kind, tool: 'Bash', subject, at: at + 63_000 });
  }
  await run.measure();
  await nameAll(run);

  const series = await run.store.waits.requests(always);

  assert.deepEqual(
    new Set(series.map(({ answer, waitsMs }) => `${answer} ${waitsMs.join()}`)),
    new Set(['null 3000', 'allowed 3000', 'denied 3000']),
  );
});
