import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { projectRoot } from '../support/hookbell-home.ts';
import { runProcess } from '../support/run-process.ts';
import { needs } from '../support/system-part.ts';

const script = join(projectRoot, 'install.sh');

describe('install.sh', () => {
  for (const home of [undefined, '', 'relative/home']) {
    test(`refuses HOME = ${home ?? 'nothing'}, for Node would find another home directory`, async () => {
      const { code, stdout, stderr } = await runProcess(script, ['--yes'], {
        // Without Node nothing would be installed anywhere, should it not refuse.
        env: { PATH: '/nonexistent', ...(home === undefined ? {} : { HOME: home }) },
      });

      assert.equal(
        stderr,
        `hookbell: HOME is "${home ?? ''}", expected the path of your home directory\n` +
          '  Set HOME, then run this again\n',
      );
      assert.deepEqual([code, stdout], [1, '']);
    });
  }

  test('refuses a word that is no option before it fetches or builds anything', async () => {
    const { code, stdout, stderr } = await runProcess(script, ['--dry-rnu'], {
      env: { HOME: '/nonexistent', PATH: process.env['PATH'] ?? '' },
    });

    assert.match(stderr, /^hookbell: "--dry-rnu" is no option of install.sh\n\.\/install\.sh \[/);
    assert.deepEqual([code, stdout], [2, '']);
  });

  test('shellcheck finds nothing', { skip: needs('shellcheck') }, async () => {
    const { code, stdout } = await runProcess('shellcheck', [script], {
      env: { PATH: process.env['PATH'] ?? '' },
    });

    assert.deepEqual([code, stdout], [0, '']);
  });
});
