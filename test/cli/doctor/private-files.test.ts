import assert from 'node:assert/strict';
import { test } from 'node:test';

import { checkPrivateFiles } from '../../../src/cli/doctor/files.ts';
import { resolvePaths } from '../../../src/core/paths.ts';
import { doctorPorts, privateFile } from '../../support/doctor-ports.ts';

const { database, log } = doctorPorts().paths;

test('checkPrivateFiles() is content with what is closed to others, or not there', async () => {
  const check = await checkPrivateFiles(doctorPorts({ files: { [database]: privateFile } }));

  assert.equal(check.state, 'ok');
});

test('checkPrivateFiles() names a file that is open, not ours or no file, and what to do (T12)', async () => {
  const rows = [
    [{ ...privateFile, mode: 0o644 }, /mode 0644, expected 0600/, `Run: chmod 600 "${log}"`],
    [{ ...privateFile, uid: 65_534 }, /belongs to user 65534/, `Move it away: ${log}`],
    [{ ...privateFile, type: 'link' as const }, /is not a regular file/, `Move it away: ${log}`],
  ] as const;
  for (const [found, summary, hint] of rows) {
    const check = await checkPrivateFiles(
      doctorPorts({ files: { [database]: privateFile, [log]: found } }),
    );

    assert.equal(check.state, 'problem');
    assert.match(check.summary, summary);
    assert.equal(check.hint, hint);
  }
});

test('checkPrivateFiles() knows no rights where the system has none', async () => {
  assert.equal((await checkPrivateFiles(doctorPorts({ uid: null }))).state, 'skipped');
  // A profile is closed to others, the rest of Windows is not.
  const paths = resolvePaths({ HOOKBELL_STATE_DIR: '/mnt/data/hookbell' }, 'linux', '/home/dev');
  const { state, summary } = await checkPrivateFiles(doctorPorts({ uid: null, paths }));
  assert.equal(state, 'warning');
  assert.match(summary, /^\/mnt\/data\/hookbell is outside of your profile/);
});
