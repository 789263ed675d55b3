import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { commandLine } from '../../support/command-line.ts';
import { projectRoot } from '../../support/hookbell-home.ts';
import { monthAnswers, recordMonth } from '../../support/recorded-month.ts';
import { waitingRun } from '../../support/waiting-run.ts';

test('the report and the proposals for a recorded month of 2,000 requests are as in docs/rules.md', async () => {
  await using run = await waitingRun();
  await using cli = await commandLine();
  await recordMonth(run, 2_000);
  const month = monthAnswers(run, join(cli.home, 'alive'));
  await cli.serve({
    'GET /v1/waiting': () => month.waiting('request'),
    'GET /v1/requests': month.requests,
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
