import assert from 'node:assert/strict';
import { test } from 'node:test';

import { checkAccounts } from '../../../src/cli/doctor/api.ts';
import { doctorPorts } from '../../support/doctor-ports.ts';

test('checkAccounts() says that all is in order, or what is not and where to look', async () => {
  const well = doctorPorts({ answers: { 'GET /v1/self-check': { events: 12, findings: [] } } });
  const broken = doctorPorts({
    answers: {
      'GET /v1/self-check': {
        events: 12,
        findings: [
          { problem: 'late', count: 2, eventIds: ['f3a1c2d4-aaaa-4bbb-8ccc-000000000001'] },
          { problem: 'unexplained', count: 1, eventIds: ['x'] },
        ],
      },
    },
  });

  assert.deepEqual(await checkAccounts(well), {
    name: 'accounts',
    state: 'ok',
    summary: 'the last 12 events have an outcome, or a time for one',
    hint: null,
  });
  const { state, summary, hint } = await checkAccounts(broken);
  assert.equal(state, 'problem');
  assert.equal(summary, '2 due and missed; 1 given up without a reason');
  assert.match(hint ?? '', /^Run "hookbell explain f3a1c2d4[^ ]*", then "hookbell restart"$/);
});

test('checkAccounts() is skipped where the daemon knows nothing of it', async () => {
  assert.equal((await checkAccounts(doctorPorts())).state, 'skipped');
});
