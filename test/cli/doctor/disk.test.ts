import assert from 'node:assert/strict';
import { test } from 'node:test';

import { checkDisk } from '../../../src/cli/doctor/files.ts';
import { doctorPorts } from '../../support/doctor-ports.ts';

test('checkDisk() finds a problem where the spool takes no file, and names the disk and why (A7)', async () => {
  const { paths } = doctorPorts();
  const check = await checkDisk(
    doctorPorts({
      writeTrouble: (directory) => (directory === paths.spool ? 'it is read-only' : null),
    }),
  );

  assert.deepEqual(
    [check.state, check.summary],
    ['problem', `the disk of ${paths.spool} accepts no files: it is read-only`],
  );
  assert.equal((await checkDisk(doctorPorts())).state, 'ok');
});
