import assert from 'node:assert/strict';
import { test } from 'node:test';

import { checkHeartbeat } from '../../../src/cli/doctor/daemon.ts';
import { sampleStatusView } from '../../support/sample-views.ts';

const lastAt = '2026-03-01T10:00:00.000Z';

test('checkHeartbeat() offers one, says how often it comes, and warns when it fails', () => {
  const views = [
    null,
    { everyMs: 300_000, lastAt, reason: null },
    { everyMs: 300_000, lastAt, reason: 'it answered 500' },
  ];

  const checks = views.map((heartbeat) => checkHeartbeat(sampleStatusView({ heartbeat })));

  assert.deepEqual(
    checks.map(({ state, summary }) => `${state}: ${summary}`),
    [
      'ok: none configured',
      'ok: every 5 min',
      'warning: every 5 min, but it fails: it answered 500',
    ],
  );
  assert.match(checks[0]?.hint ?? '', /^Set "heartbeat\.url"/);
});
