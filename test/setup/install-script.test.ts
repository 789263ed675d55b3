import assert from 'node:assert/strict';
import { chmod, copyFile, mkdir, readdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { projectRoot } from '../support/hookbell-home.ts';
import { runProcess } from '../support/run-process.ts';
import { needs } from '../support/system-part.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

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

  test('refuses an unknown option before it fetches or builds anything', async () => {
    const { code, stdout, stderr } = await runProcess(script, ['--dry-rnu'], {
      env: { HOME: '/nonexistent', PATH: process.env['PATH'] ?? '' },
    });

    assert.match(
      stderr,
      /^hookbell: "--dry-rnu" is not an option of install.sh\n +\.\/install\.sh \[/,
    );
    assert.deepEqual([code, stdout], [2, '']);
  });

  test('--purge without --uninstall changes nothing and names the command that removes everything', async () => {
    const { code, stdout, stderr } = await runProcess(script, ['--purge', '--yes'], {
      env: { HOME: '/nonexistent', PATH: process.env['PATH'] ?? '' },
    });

    assert.equal(
      stderr,
      'hookbell: "--purge" is for "--uninstall"; nothing was changed\n' +
        'Run "./install.sh --uninstall --purge"\n',
    );
    assert.deepEqual([code, stdout], [2, '']);
  });

  test('--help says what it does and how it is called, and does nothing', async () => {
    const { code, stdout, stderr } = await runProcess(script, ['--help'], {
      env: { HOME: '/nonexistent', PATH: process.env['PATH'] ?? '' },
    });

    assert.match(
      stdout,
      /^Installs hookbell for this user: .*\n.*\n\n +\.\/install\.sh \[.*\n +.*--uninstall.*\n$/,
    );
    assert.deepEqual([code, stderr], [0, '']);
  });

  test('lets npm do nothing to packages that belong to another checkout', async () => {
    await using directory = await temporaryDirectory();
    const at = (...parts: readonly string[]): string => join(directory.path, ...parts);
    for (const path of ['other', 'programs', 'checkout/dist/program', 'checkout/src']) {
      await mkdir(at(path), { recursive: true });
    }
    await writeFile(at('other/.package-lock.json'), '{}');
    await utimes(at('other/.package-lock.json'), 0, 0);
    await symlink(at('other'), at('checkout/node_modules'));
    await writeFile(at('programs/npm'), '#!/bin/sh\nrm -f node_modules/.package-lock.json\n');
    await chmod(at('programs/npm'), 0o755);
    await copyFile(script, at('checkout/install.sh'));
    await writeFile(at('checkout/package-lock.json'), '{}');
    await writeFile(at('checkout/dist/program/cli.js'), 'console.log("installs");');
    await writeFile(at('checkout/dist/.built'), '');

    const { stdout, stderr } = await runProcess(at('checkout/install.sh'), ['--dry-run'], {
      env: { HOME: directory.path, PATH: `${at('programs')}:${process.env['PATH'] ?? ''}` },
    });

    assert.match(stderr, /^Using the packages that node_modules links to\n/);
    assert.deepEqual(await readdir(at('other')), ['.package-lock.json']);
    assert.equal(stdout, 'installs\n');
  });

  test('shellcheck finds nothing', { skip: needs('shellcheck') }, async () => {
    const { code, stdout } = await runProcess('shellcheck', [script], {
      env: { PATH: process.env['PATH'] ?? '' },
    });

    assert.deepEqual([code, stdout], [0, '']);
  });
});
