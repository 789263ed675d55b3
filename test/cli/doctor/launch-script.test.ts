import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { checkEnvironment, checkLaunchScript } from '../../../src/cli/doctor/runtime.ts';
import type { LaunchState } from '../../../src/setup/launch-script.ts';
import { doctorPorts, privateFile } from '../../support/doctor-ports.ts';

describe('checkLaunchScript()', () => {
  const { launch } = doctorPorts().paths;

  test('is content with a program of ours', async () => {
    const ports = doctorPorts({ files: { [launch]: privateFile }, programs: [launch] });

    assert.equal((await checkLaunchScript(ports)).state, 'ok');
  });

  test('warns when it is missing, since hooks cannot start the daemon then', async () => {
    const check = await checkLaunchScript(doctorPorts());

    assert.equal(check.state, 'warning');
    assert.match(check.summary, /hooks cannot start the daemon/);
  });

  for (const [name, found, programs] of [
    ['cannot be executed', privateFile, []],
    ['belongs to another user', { ...privateFile, uid: 0 }, [launch]],
    ['is a link', { ...privateFile, type: 'link' }, [launch]],
  ] as const) {
    test(`reports one that ${name}`, async () => {
      const ports = doctorPorts({ files: { [launch]: found }, programs });

      assert.equal((await checkLaunchScript(ports)).state, 'problem');
    });
  }

  const contents: readonly (readonly [LaunchState, string, RegExp])[] = [
    ['truncated', 'problem', /is empty or cut off/],
    ['outdated', 'warning', /earlier version/],
    ['unrecorded', 'warning', /no environment was recorded/],
    ['missing', 'warning', /launch.spare is not there/],
  ];
  for (const [state, wanted, summary] of contents) {
    test(`says "${wanted}" when the spare is ${state} (A6)`, async () => {
      const check = await checkLaunchScript(
        doctorPorts({
          files: { [launch]: privateFile },
          programs: [launch],
          launchState: (path) => (path.endsWith('.spare') ? state : 'ok'),
        }),
      );

      assert.equal(check.state, wanted);
      assert.match(check.summary, summary);
    });
  }
});

test('checkEnvironment() warns of a switch that turns verification off (D4)', () => {
  assert.equal(checkEnvironment(doctorPorts({ ignoredVariables: [] })).state, 'ok');

  const check = checkEnvironment(
    doctorPorts({ ignoredVariables: ['NODE_TLS_REJECT_UNAUTHORIZED'] }),
  );

  assert.equal(check.state, 'warning');
  assert.match(check.hint ?? '', /^Remove NODE_TLS_REJECT_UNAUTHORIZED/);
});
