import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { checkCommand } from '../../../src/cli/doctor/coverage.ts';
import { doctorPorts } from '../../support/doctor-ports.ts';

describe('checkCommand()', () => {
  test('finds the command on PATH', async () => {
    const ports = doctorPorts({ programs: ['/usr/bin/hookbell'] });

    assert.deepEqual(await checkCommand(ports), {
      name: 'command',
      state: 'ok',
      summary: '/usr/bin/hookbell',
      hint: null,
    });
  });

  test('distinguishes an installed command that is not on PATH from one that is not installed', async () => {
    const { command } = doctorPorts().paths;

    const installed = await checkCommand(doctorPorts({ programs: [command] }));
    const missing = await checkCommand(doctorPorts());

    assert.match(installed.summary, /\.local\/bin\/hookbell is not on PATH/);
    assert.equal(missing.hint, 'Run "hookbell install"');
    assert.deepEqual([installed.state, missing.state], ['warning', 'warning']);
  });
});
