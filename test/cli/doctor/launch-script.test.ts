import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { checkLaunchScript } from '../../../src/cli/doctor/launch-script.ts';
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
    ['belongs to somebody else', { ...privateFile, uid: 0 }, [launch]],
    ['is a link', { ...privateFile, type: 'link' }, [launch]],
  ] as const) {
    test(`reports one that ${name}`, async () => {
      const ports = doctorPorts({ files: { [launch]: found }, programs });

      assert.equal((await checkLaunchScript(ports)).state, 'problem');
    });
  }
});
