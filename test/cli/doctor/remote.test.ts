import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { HubMachineView } from '../../../src/control/hub-contract.ts';
import { checkListen } from '../../../src/cli/doctor/remote.ts';
import { doctorPorts } from '../../support/doctor-ports.ts';
import { sampleStatusView } from '../../support/sample-views.ts';

test('checkListen() counts the machines of a hub, and advises what it needs where none has joined', async () => {
  const status = sampleStatusView({
    listen: { addresses: ['https://hub:8443'], problem: null, machines: [] },
  });
  const ada = { name: 'ada-box', person: 'ada@example.com', revokedAt: null };
  const machine = { ...ada, enrolledAt: '2026-03-02T10:00:00.000Z', heardAt: null };
  const check = (hub: object | null, machines: readonly HubMachineView[]) =>
    checkListen(status, { hub }, doctorPorts({ answers: { 'GET /v1/hub-machines': machines } }));

  assert.equal((await check(null, [machine])).hint, 'Run: hookbell remote pair NAME');
  assert.equal((await check({}, [])).hint, 'Run: hookbell hub invite ADDRESS');
  assert.equal((await check({}, [machine])).summary, 'on https://hub:8443, for ada-box');
  const revoked = { ...machine, revokedAt: '2026-03-03T10:00:00.000Z' };
  assert.equal((await check({}, [revoked])).hint, 'Run: hookbell hub invite ADDRESS');
  const many = Array.from({ length: 500 }, () => machine);
  assert.equal((await check({}, many)).summary, 'on https://hub:8443, for 500 machines');
});
