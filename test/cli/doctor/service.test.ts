import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { checkService } from '../../../src/cli/doctor/service.ts';
import { doctorPorts, privateFile } from '../../support/doctor-ports.ts';

describe('checkService()', () => {
  const service = { name: 'systemd', path: '/unit' };

  test('says who starts the daemon; neither way is wrong', async () => {
    const installed = await checkService(doctorPorts({ service, files: { '/unit': privateFile } }));
    const absent = await checkService(doctorPorts({ service }));
    const unknown = await checkService(doctorPorts());

    assert.match(installed.summary, /^systemd starts the daemon/);
    assert.match(absent.summary, /the first hook starts the daemon/);
    assert.deepEqual(unknown, absent);
    assert.deepEqual([installed.state, absent.state], ['ok', 'ok']);
  });
});
