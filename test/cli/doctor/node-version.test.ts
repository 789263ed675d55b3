import assert from 'node:assert/strict';
import { test } from 'node:test';

import { checkNodeVersion } from '../../../src/cli/doctor/runtime.ts';
import { doctorPorts } from '../../support/doctor-ports.ts';

for (const [nodeVersion, state] of [
  ['20.19.0', 'ok'],
  ['20.20.1', 'ok'],
  ['22.0.0', 'ok'],
  ['20.18.9', 'problem'],
  ['18.20.0', 'problem'],
] as const) {
  test(`checkNodeVersion() finds Node ${nodeVersion} to be "${state}"`, () => {
    assert.equal(checkNodeVersion(doctorPorts({ nodeVersion })).state, state);
  });
}
