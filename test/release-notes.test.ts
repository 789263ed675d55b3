import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { ownVersion } from '../src/platform/program-files.ts';
import { projectRoot } from './support/hookbell-home.ts';
import { type Finished, runProcess } from './support/run-process.ts';

const changelog = readFileSync(join(projectRoot, 'CHANGELOG.md'), 'utf8');

function notes(...versions: readonly string[]): Promise<Finished> {
  const script = join(projectRoot, 'scripts/release-notes.mjs');
  return runProcess(process.execPath, [script, ...versions], { env: {} });
}

describe('scripts/release-notes.mjs', () => {
  test('prints the notes of the newest version, and those of the next', async () => {
    const version = ownVersion();

    const [released, named, next] = await Promise.all([
      notes(),
      notes(`v${version}`),
      notes('Unreleased'),
    ]);

    assert.equal(released.code, 0, released.stderr);
    assert.match(released.stdout, /^## New\n\n- \w/m);
    assert.equal(named.stdout, released.stdout);
    // Right after a release there are none for the next one.
    const [, later = ''] = changelog.split(/^## /m);
    assert.equal(next.code, /^- /m.test(later) ? 0 : 1, next.stderr);
    assert.notEqual(next.stdout, released.stdout);
  });

  test('prints the words above the entries first, with links that work on the page of a release', async () => {
    const [, first = ''] = /^## 1\.0\.0\n\n([^]*?)\n\n- /m.exec(changelog) ?? [];

    const { stdout } = await notes('1.0.0');

    const shown = first.replace('](docs/', '](https://github.com/OWNER/hookbell/blob/v1.0.0/docs/');
    assert.match(first, /^hookbell notifies you when .*\]\(docs\//);
    assert.ok(stdout.startsWith(`${shown}\n\n## New\n`), stdout);
  });

  test('loses no line of the changelog', async () => {
    const lines = changelog.match(/^- .*$/gm) ?? [];
    const versions = [...changelog.matchAll(/^## (\S+)/gm)].map(([, name = '']) => name);

    const printed = await Promise.all(versions.map((version) => notes(version)));

    const entries = printed.flatMap(
      ({ stdout }) => stdout.replaceAll(/\(https:\S+?\/(docs\/)/g, '($1').match(/^- .*$/gm) ?? [],
    );
    assert.deepEqual(
      entries.toSorted(),
      lines.map((line) => line.replace(/^- \[\w+\] /, '- ')).toSorted(),
    );
  });

  test('refuses a version that has no notes', async () => {
    const { code, stdout, stderr } = await notes('9.9.9');

    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /no entry for "9\.9\.9", only for Unreleased, /);
  });
});
