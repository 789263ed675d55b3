import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { checkQuarantine, checkSpool } from '../../../src/cli/doctor/daemon.ts';
import type { StatusView } from '../../../src/control/contract.ts';
import { doctorPorts, noDaemon, runningDaemon } from '../../support/doctor-ports.ts';
import { sampleStatusView } from '../../support/sample-views.ts';

describe('checkSpool()', () => {
  test('looks again before it complains: what came in just now takes a moment', async () => {
    const waits: number[] = [];
    const ports = doctorPorts({
      answers: { 'GET /v1/status': sampleStatusView() },
      wait: (ms) => Promise.resolve(void waits.push(ms)),
    });

    const check = await checkSpool(runningDaemon(pending(2)), ports);

    assert.equal(check.state, 'ok');
    assert.equal(waits.length, 1);
  });

  test('reports events that the daemon does not take', async () => {
    const stuck = sampleStatusView(pending(2));
    const ports = doctorPorts({ answers: { 'GET /v1/status': stuck } });

    const check = await checkSpool({ status: stuck }, ports);

    assert.equal(check.state, 'problem');
    assert.match(check.summary, /^2 events wait and the daemon does not read them$/);
    assert.match(check.hint ?? '', /daemon\.log/);
  });

  test('without a daemon, counts what waits for one', async () => {
    const waiting = doctorPorts({ namesIn: () => Promise.resolve(['a']) });

    const some = await checkSpool(noDaemon, waiting);
    const none = await checkSpool(noDaemon, doctorPorts());

    assert.deepEqual([some.state, some.summary], ['warning', '1 event waits for the daemon']);
    assert.equal(none.state, 'ok');
  });
});

describe('checkQuarantine()', () => {
  test('says what could not be read, and why', async () => {
    const latest = { id: 'x', at: '', reason: 'invalid-json', detail: 'it is cut', bytes: 3 };
    const ports = doctorPorts({ answers: { 'GET /v1/quarantine': [latest] } });
    const status = sampleStatusView({ spool: { pending: 0, quarantined: 3 } });

    const check = await checkQuarantine(status, ports);

    assert.equal(check.state, 'warning');
    assert.equal(check.summary, '3 unreadable, the last one as "invalid-json": it is cut');
  });

  test('asks nothing when it is empty', async () => {
    assert.equal((await checkQuarantine(sampleStatusView(), doctorPorts())).state, 'ok');
  });
});

function pending(count: number): Partial<StatusView> {
  return { spool: { pending: count, quarantined: 0 } };
}
