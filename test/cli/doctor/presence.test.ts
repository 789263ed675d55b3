import assert from 'node:assert/strict';
import { test } from 'node:test';

import { checkPresence } from '../../../src/cli/doctor/channel.ts';
import { doctorPorts } from '../../support/doctor-ports.ts';

test('checkPresence() names what sees the person and what cannot', async () => {
  const sources = [
    { source: 'screen lock', works: false, detail: null },
    { source: 'idle time', works: true, detail: 'idle for 3 s' },
  ];

  const check = await checkPresence(doctorPorts({ answers: { 'GET /v1/presence': sources } }));

  assert.deepEqual(
    [check.state, check.summary],
    ['ok', 'screen lock: cannot be detected here; idle time: idle for 3 s'],
  );
});

test('checkPresence() is left out where the daemon cannot say', async () => {
  const check = await checkPresence(doctorPorts());

  assert.equal(check.state, 'skipped');
});
