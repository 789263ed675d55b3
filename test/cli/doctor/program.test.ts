import assert from 'node:assert/strict';
import { test } from 'node:test';

import { checkProgram } from '../../../src/cli/doctor/runtime.ts';
import { doctorPorts } from '../../support/doctor-ports.ts';

const version = '0.2.0';

test('checkProgram() warns of a copy that is older than the package, with the command that replaces it', () => {
  const byPackage = checkProgram(doctorPorts({ version, copyVersion: '0.1.0', runsByNpx: false }));
  const byNpx = checkProgram(doctorPorts({ version, copyVersion: '0.1.0', runsByNpx: true }));

  assert.deepEqual(
    [byPackage.state, byPackage.summary, byPackage.hint],
    ['warning', 'your copy is hookbell 0.1.0, and this command is 0.2.0', 'Run "hookbell upgrade"'],
  );
  assert.equal(byNpx.hint, 'Run "npx hookbell@0.2.0 install --refresh"');
});

test('checkProgram() warns of a package that is older than the copy', () => {
  const check = checkProgram(doctorPorts({ version, copyVersion: '0.10.0', runsByNpx: false }));

  assert.deepEqual([check.state, check.hint], ['warning', 'Run "hookbell upgrade"']);
});

test('checkProgram() is content with the same version, and with no copy', () => {
  assert.equal(
    checkProgram(doctorPorts({ version, copyVersion: version, runsByNpx: false })).state,
    'ok',
  );
  assert.equal(
    checkProgram(doctorPorts({ version, copyVersion: null, runsByNpx: false })).state,
    'skipped',
  );
});
