import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createRedactor } from '../../../src/text/redact.ts';
import { createClient } from '../../../src/vendor/client/index.ts';
import { startMock } from '../../support/reference-service/reference-server.ts';
import { type DigestAudit, noAudit } from '../../../src/vendor/reports/digest-audit.ts';
import { digestHtml, digestText } from '../../../src/vendor/reports/digest-html.ts';
import {
  createDigest,
  type DigestAuditWanted,
  readDigestAudit,
} from '../../../src/vendor/reports/digest-report.ts';

const NOW = Date.parse('2026-06-01T09:00:00Z');
const DAYS = { startDate: '2026-05-26', endDate: '2026-06-01' };
const all: DigestAuditWanted = { readiness: true, controls: true };

/** The reference service, asked for a week. */
async function service() {
  const mock = await startMock({ now: NOW });
  const client = createClient({
    baseUrl: mock.baseUrl,
    appUrl: mock.appUrl,
    apiKey: () => mock.keys.owner,
    now: () => NOW,
  });
  return {
    mock,
    read: (wanted = all) => readDigestAudit(client, wanted, DAYS, { maxRetries: 0 }),
    [Symbol.asyncDispose]: () => mock.close(),
  };
}

function digestOf(audit: DigestAudit, users: boolean): string {
  const rows = { tokens: [], tools: [], activity: [], productivity: [] };
  const redactor = createRedactor({ prefixes: [], keys: [] });
  const options = {
    every: 'week',
    users,
    rate: null,
    own: null,
    waiting: null,
    audit,
    redactor,
  } as const;
  const digest = createDigest(rows, DAYS.endDate, options);
  return `${digestText(digest)}\n${digestHtml(digest)}`;
}

test('a digest shows how many criteria moved in its days, by repository and without their texts', async () => {
  await using run = await service();

  const text = digestOf(await run.read(), false);

  assert.match(text, /^READINESS\n\d reports · 1 criterion that fell · \d+ criteria that rose$/m);
  assert.match(text, /^criteria that fell:\n- git\.example\.com\/acme\/api: 1$/m);
  assert.doesNotMatch(text, /No linter is set up/);
});

test('a digest shows the number of control changes and their settings, and their authors only where people are named', async () => {
  await using run = await service();
  const audit = await run.read();

  const aggregate = digestOf(audit, false);
  const named = digestOf(audit, true);

  assert.match(
    aggregate,
    /^ENTERPRISE CONTROLS\n2 changes · 1 that loosened something\nby setting:\n- enableAgentShield: 2$/m,
  );
  assert.doesNotMatch(aggregate, /Ada|Bruno|@example\.com|mock-secret/);
  assert.match(named, /^by user:\n(?:- (?:Ada|Bruno) \w+: \d\n?)+/m);
});

test('readDigestAudit() asks only for what is watched, and of the history only for its days', async () => {
  await using run = await service();

  assert.deepEqual(await run.read({ readiness: false, controls: false }), noAudit);
  assert.deepEqual(run.mock.requests(), []);
  const { changes } = await run.read({ readiness: false, controls: true });
  assert.deepEqual(
    changes?.map(({ revision }) => revision),
    [26, 25, 24],
  );
});

test('a digest does without what the service refuses, and says so (acceptance 203)', async () => {
  await using run = await service();
  run.mock.fault({ effect: { kind: 'v0-off' } });

  const audit = await run.read();

  assert.equal(audit.changes, null);
  assert.match(digestOf(audit, false), /^Without the enterprise controls: /m);
  assert.match(digestOf(audit, false), /^READINESS$/m);
});
