import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { checkService } from '../../../src/cli/doctor/runtime.ts';
import { doctorPorts, privateFile } from '../../support/doctor-ports.ts';

describe('checkService()', () => {
  const service = {
    name: 'systemd',
    files: [{ path: '/unit', content: '' }],
    status: ['is-it-there'],
    hint: { unless: '/linger', text: 'it ends at log-out' },
  } as const;
  const files = { '/unit': privateFile };

  test('says who starts the daemon; neither way is wrong', async () => {
    const installed = await checkService(doctorPorts({ service, files }));
    const absent = await checkService(doctorPorts({ service }));
    const unknown = await checkService(doctorPorts());

    assert.match(installed.summary, /^systemd starts the daemon/);
    assert.match(absent.summary, /the first hook starts the daemon/);
    assert.deepEqual(unknown, absent);
    assert.deepEqual([installed.state, absent.state], ['ok', 'ok']);
  });

  test('warns of a service that the manager has not loaded', async () => {
    const asked: string[] = [];
    const check = await checkService({
      ...doctorPorts({ service, files }),
      run: (argv) => {
        asked.push(...argv);
        return Promise.resolve({ ok: false, message: 'disabled' });
      },
    });

    assert.deepEqual(asked, ['is-it-there']);
    assert.equal(check.state, 'warning');
    assert.match(check.summary, /\/unit exists, but systemd has not loaded it: disabled/);
    assert.match(check.hint ?? '', /hookbell install/);
  });

  test('shows the hint about log-outs until it is followed', async () => {
    const told = await checkService(doctorPorts({ service, files }));
    const seenTo = await checkService(
      doctorPorts({ service, files: { ...files, '/linger': privateFile } }),
    );

    assert.deepEqual([told.hint, seenTo.hint], ['it ends at log-out', null]);
  });
});
