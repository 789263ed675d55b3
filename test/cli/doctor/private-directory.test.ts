import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { CheckState } from '../../../src/cli/doctor/check.ts';
import type { FileFacts } from '../../../src/cli/doctor/ports.ts';
import { checkPrivateDirectory } from '../../../src/cli/doctor/files.ts';
import { doctorPorts, privateDirectory, privateFile } from '../../support/doctor-ports.ts';

describe('checkPrivateDirectory()', () => {
  const cases: readonly [string, FileFacts | null, CheckState, RegExp][] = [
    ['that is ours alone', privateDirectory, 'ok', /^\/s$/],
    ['that does not exist yet', null, 'warning', /does not exist yet/],
    ['that others may enter', { ...privateDirectory, mode: 0o755 }, 'problem', /mode 0755/],
    ['of another user', { ...privateDirectory, uid: 0 }, 'problem', /belongs to user 0/],
    ['that is a link', { ...privateDirectory, type: 'link' }, 'problem', /a symbolic link/],
    ['that is a file', privateFile, 'problem', /not a directory/],
  ];
  for (const [name, found, state, summary] of cases) {
    test(`says "${state}" of a directory ${name} (T1)`, async () => {
      const ports = doctorPorts({ files: found === null ? {} : { '/s': found } });

      const check = await checkPrivateDirectory('state directory', '/s', ports);

      assert.equal(check.state, state);
      assert.match(check.summary, summary);
      assert.equal(check.hint === null, state === 'ok');
    });
  }

  test('judges no rights where the system has none', async () => {
    const ports = doctorPorts({ files: { '/s': { ...privateDirectory, mode: 0o777 } }, uid: null });

    assert.equal((await checkPrivateDirectory('x', '/s', ports)).state, 'skipped');
  });
});
