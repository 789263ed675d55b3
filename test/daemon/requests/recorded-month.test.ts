import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { createWaitingLedger } from '../../../src/daemon/waiting-ledger.ts';
import { silentLog } from '../../../src/platform/log.ts';
import { commandLine } from '../../support/command-line.ts';
import { projectRoot } from '../../support/hookbell-home.ts';
import { MONTH, recordMonth } from '../../support/recorded-month.ts';
import { ALL_DAY, waitingRun } from '../../support/waiting-run.ts';

const iso = (at: number): string => new Date(at).toISOString();

test('the report and the proposals for a recorded month of 2,000 requests are as in docs/rules.md', async () => {
  await using run = await waitingRun();
  await using cli = await commandLine();
  await recordMonth(run, 2_000);
  const period = { since: MONTH, until: MONTH + 40 * 86_400_000 };
  const ledger = createWaitingLedger({
    waits: run.store.waits,
    mark: join(cli.home, 'alive'),
    hours: () => ALL_DAY,
    programChannels: () => [],
    redact: (text) => text,
    now: () => period.until,
    log: silentLog,
  });
  await cli.serve({
    'GET /v1/waiting': async () => {
      const report = await ledger.report({ ...period, by: 'request' });
      return { ...report, since: iso(period.since), until: iso(period.until), paused: [] };
    },
    'GET /v1/requests': () => ledger.requests(period),
  });
  const page = readFileSync(join(projectRoot, 'docs/rules.md'), 'utf8');

  const waiting = await cli.run(['waiting', '--by', 'request', '--since', '30d']);
  const rules = await cli.run(['rules']);

  const first = rules.stdout.split('\n\n').slice(0, 6).join('\n\n');
  const shown = [waiting.stdout, first].map((text) => text.replaceAll(cli.home, '/home/me').trim());
  assert.ok(
    shown.every((text) => page.includes(text)),
    `docs/rules.md has to show:\n${shown.join('\n===\n')}`,
  );
  assert.match(waiting.stderr, /^2000 requests|^1\d{3} requests/m);
});
