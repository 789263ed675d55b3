import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { checkDaemon, checkDaemonWarnings, lookAtDaemon } from '../../../src/cli/doctor/daemon.ts';
import { doctorPorts, runningDaemon } from '../../support/doctor-ports.ts';
import { sampleStatusView } from '../../support/sample-views.ts';

describe('checkDaemon()', () => {
  test('is content with a daemon of the same version', async () => {
    const status = sampleStatusView();
    const ports = doctorPorts({ answers: { 'GET /v1/status': status } });

    const check = checkDaemon(await lookAtDaemon(ports), ports);

    assert.equal(check.state, 'ok');
    assert.equal(check.summary, 'version 0.1.0, pid 4242, for 2 h');
  });

  test('warns of another version, as after an update', () => {
    const check = checkDaemon(runningDaemon({ version: '0.0.9' }), doctorPorts());

    assert.equal(check.state, 'warning');
    assert.match(check.summary, /version 0\.0\.9.*this command is version 0\.1\.0/);
    assert.equal(check.hint, 'Run "hookbell restart"');
  });

  test('reports why it does not answer', async () => {
    const ports = doctorPorts();

    const check = checkDaemon(await lookAtDaemon(ports), ports);

    assert.deepEqual(check, {
      name: 'daemon',
      state: 'problem',
      summary: 'Cannot reach the daemon: it is not running',
      hint: 'Run "hookbell start"',
    });
  });
});

test('checkDaemonWarnings() passes on what the daemon wants people to know', () => {
  const check = checkDaemonWarnings(sampleStatusView({ warnings: ['The disk is full', 'b'] }));

  assert.equal(check.state, 'warning');
  assert.equal(check.summary, 'The disk is full; b');
  assert.equal(checkDaemonWarnings(sampleStatusView()).state, 'ok');
});

test('checkDaemonWarnings() leaves out a channel that has its own check (B9)', () => {
  const desktop = {
    name: 'desktop',
    type: 'desktop',
    state: 'open',
    lastOutcome: 'retry',
    lastReason: 'no session bus',
    notBefore: null,
    paused: [],
  } as const;
  const warnings = ['Channel "desktop" is out of order and is tried again later: no session bus'];

  const check = checkDaemonWarnings(sampleStatusView({ warnings, channels: [desktop] }));

  assert.equal(check.state, 'ok');
});
