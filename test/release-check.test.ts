import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import * as z from 'zod';

import { documentationPage } from '../src/text/documentation.ts';
import { projectRoot } from './support/hookbell-home.ts';
import { runProcess } from './support/run-process.ts';
import { needs } from './support/system-part.ts';

const Manifest = z.looseObject({
  homepage: z.string(),
  bugs: z.string(),
  repository: z.object({ type: z.literal('git'), url: z.string() }),
});

function textOf(path: string): string {
  return readFileSync(join(projectRoot, path), 'utf8');
}

/** Tracked files outside of the tests that contain a text, but not the page that lists them and the script that looks. */
function filesWith(text: string): readonly string[] {
  const listed = execFileSync('git', ['ls-files', '-z'], { cwd: projectRoot, encoding: 'utf8' });
  return listed
    .split('\0')
    .filter((file) => file !== '' && !file.startsWith('test/'))
    .filter((file) => file !== 'CONTRIBUTING.md' && file !== 'scripts/release-check.mjs')
    .filter((file) => textOf(file).includes(text))
    .toSorted();
}

describe('what has to be filled in before a release', { skip: needs('git') }, () => {
  for (const placeholder of ['github.com/OWNER/', 'hookbell@example.org', '0'.repeat(64)]) {
    test(`CONTRIBUTING.md lists every file with "${placeholder}"`, () => {
      const name = placeholder.startsWith('0') ? '64 zeros' : placeholder;
      const row = textOf('CONTRIBUTING.md')
        .split('\n')
        .find((line) => line.startsWith(`| \`${name}\``) || line.startsWith(`| ${name}`));
      const [, , , files = ''] = (row ?? assert.fail(`no row for ${name}`)).split('|');
      const named = [...files.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file);

      assert.deepEqual(named.toSorted(), filesWith(placeholder));
    });
  }

  test('package.json, the programs and the packages name one repository', () => {
    const { homepage, bugs, repository } = Manifest.parse(JSON.parse(textOf('package.json')));
    const address = /^git\+(.*)\.git$/.exec(repository.url)?.[1] ?? assert.fail(repository.url);

    assert.equal(homepage, `${address}#readme`);
    assert.equal(bugs, `${address}/issues`);
    assert.equal(documentationPage('docs/hub.md'), `${address}/blob/main/docs/hub.md`);
    for (const file of ['packaging/aur/PKGBUILD', 'packaging/homebrew/hookbell.rb']) {
      assert.ok(textOf(file).includes(address), file);
    }
    assert.ok(textOf('packaging/deb/control').includes(`\nHomepage: ${address}\n`));
    assert.ok(textOf('README.md').includes(`git clone ${address} `));
  });

  test('scripts/release-check.mjs refuses another repository, and each placeholder with its file', async () => {
    const script = join(projectRoot, 'scripts/release-check.mjs');
    const env = { PATH: process.env['PATH'] ?? '', GITHUB_REPOSITORY: 'ada/hookbell' };

    const { code, stderr } = await runProcess(process.execPath, [script], { env });

    assert.equal(code, 1);
    assert.match(
      stderr,
      /^package\.json: "repository\.url" is .*, not "git\+https:.*\/ada\/hookbell\.git"$/m,
    );
    assert.match(
      stderr,
      /^packaging\/aur\/PKGBUILD: the placeholder "github\.com\/OWNER\/" is left$/m,
    );
    assert.doesNotMatch(stderr, /^(test\/|CONTRIBUTING)/m);
  });
});
