import assert from 'node:assert/strict';
import { test } from 'node:test';

import { requestName, requestRows } from '../../../src/alerts/requests/request-rows.ts';
import type { HookEvent } from '../../../src/core/hook-event.ts';
import type { WaitingRow } from '../../../src/core/waiting.ts';
import { loadShellParser } from '../../../src/platform/shell-syntax.ts';
import { waitingRun, type WaitingRun } from '../../support/waiting-run.ts';

const T = Date.UTC(2026, 0, 5, 10);
const asks = (text: string): Partial<HookEvent> => ({
  kind: 'needs.permission',
  event: 'PermissionRequest',
  tool: 'Bash',
  subject: text,
  asked: { action: 'run', text, options: [] },
});
const ran: Partial<HookEvent> = {
  kind: 'tool.done',
  event: 'PostToolUse',
  tool: 'Bash',
  toolMs: 0,
};

async function rowsOf(run: WaitingRun): Promise<readonly WaitingRow[]> {
  await run.measure();
  const parse = await loadShellParser();
  await run.store.waits.nameRequests({ nameOf: (event) => requestName(event, parse), limit: 100 });
  return requestRows(await run.store.waits.requests({ since: 0, until: Number.MAX_SAFE_INTEGER }));
}

test('requestRows() counts requests by their pattern, the longest total first', async () => {
  await using run = await waitingRun();
  const answered: readonly (readonly [string, number, Partial<HookEvent>])[] = [
    ['npm test -- --watch', 500, ran],
    ['npm test', 4_000, ran],
    ['npm test -- -u', 2_000, { kind: 'turn.interrupted' }],
    ['git push --force', 60_000, ran],
    ['$X a', 1_000, ran],
    ['$X b', 1_000, ran],
  ];
  for (const [index, [text, ms, answer]] of answered.entries()) {
    const at = T + index * 600_000;
    await run.feed({ ...asks(text), at });
    await run.feed({ ...answer, subject: text, at: at + ms });
  }
  await run.feed({ ...asks('npm test'), at: T + 90 * 60_000 });
  await run.feed({ kind: 'session.end', reason: 'other', at: T + 91 * 60_000 });

  const rows = await rowsOf(run);

  assert.deepEqual(
    rows.map(({ key, asked, request }) => [
      key,
      asked.count,
      asked.totalMs,
      request?.allowed,
      request?.denied,
      request?.unanswered,
      request?.atOnce,
      request?.risks.join(),
    ]),
    [
      ['git push:*', 1, 60_000, 1, 0, 0, 0, 'force-pushes,writes-out'],
      ['npm test:*', 3, 6_500, 2, 1, 1, 1, ''],
      [null, 2, 2_000, 2, 0, 0, 2, ''],
    ],
  );
  assert.deepEqual(rows[1]?.request?.agents, { claude: 4 });
});

test('requestRows() leaves out what was allowed faster than any person does', async () => {
  await using run = await waitingRun();
  for (const [index, ms] of [100, 300].entries()) {
    const at = T + index * 60_000;
    await run.feed({ ...asks('npm test'), at });
    await run.feed({ ...ran, subject: 'npm test', toolMs: 800, at: at + ms + 800 });
  }

  const [row] = await rowsOf(run);

  assert.deepEqual([row?.asked.count, row?.request?.allowed], [1, 1]);
});

test('requestRows() counts a request as allowed where its tool ran, also with a changed input', async () => {
  await using run = await waitingRun();
  for (const [index, tool] of ['Bash', 'Read'].entries()) {
    const at = T + index * 600_000;
    await run.feed({ ...asks('npm publish'), at });
    await run.feed({ ...ran, tool, subject: 'another input', at: at + 20_000 });
  }

  const [row] = await rowsOf(run);

  assert.deepEqual([row?.asked.count, row?.request?.allowed], [2, 1]);
});
