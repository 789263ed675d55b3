import assert from 'node:assert/strict';
import { test } from 'node:test';

import { remoteCommandLine } from '../../../support/remote-command-line.ts';

test('hookbell service budget check ends with 9 where a budget is used up, and speaks of standard credits (acceptance 050)', async () => {
  await using remote = await remoteCommandLine({ config: 'budget: { organization: 1 }' });

  const { code, stdout, stderr } = await remote.run(['service', 'budget', 'check']);

  assert.equal(code, 9, stderr);
  assert.match(stdout, /^BUDGET +USED +SPENT +LIMIT +PROJECTED +REACHED ON$/m);
  assert.match(stdout, /^the organization +[\d,]+00 % /m);
  assert.match(stderr, /^Standard credits from \d{4}-\d\d-01 to \d{4}-\d\d-\d\d \(UTC\)/m);
  assert.doesNotMatch(stdout + stderr, /token|EUR|estimate/);
});

test('hookbell service budget check speaks of money only with a rate, and calls it an estimate', async () => {
  const rate = 'rate: { price: 2, per: 1000000, currency: EUR }';
  await using remote = await remoteCommandLine({
    config: `budget: { organization: 1000000000000, users: { "*": 1000000000000 }, ${rate} }`,
  });

  const { code, stdout } = await remote.run(['service', 'budget', 'check']);

  assert.equal(code, 0);
  assert.match(stdout, /^user ada@example\.com .* [\d,]+\.\d\d EUR \(estimate\)$/m);
});

test('hookbell service budget check --json prints the report as one document', async () => {
  await using remote = await remoteCommandLine({
    config: 'budget: { models: { aurora-4: 1000000000000 }, anomaly: { floor: 1 } }',
  });

  const report = await remote.json(['service', 'budget', 'check']);

  assert.ok(typeof report === 'object' && report !== null);
  assert.deepEqual(Object.keys(report), ['asOf', 'month', 'budgets', 'anomalies']);
});

test('hookbell service budget check says what to write where no budget is configured', async () => {
  await using remote = await remoteCommandLine();

  const { code, stderr } = await remote.run(['service', 'budget', 'check']);

  assert.equal(code, 2);
  assert.match(stderr, /No budget is configured[\s\S]*budget: \{ organization: 50000000 \}/);
});

test('hookbell service budget check refuses the key of a member with exit code 5', async () => {
  await using remote = await remoteCommandLine({ config: 'budget: { organization: 1 }' });

  const { code } = await remote.run(['service', 'budget', 'check'], { key: 'member' });

  assert.equal(code, 5);
});
