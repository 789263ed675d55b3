import assert from 'node:assert/strict';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { commandLine } from '../../support/command-line.ts';

const FILE = 'shop/.hookbell.yaml';

describe('hookbell project', () => {
  test('shows the settings of a file, trusts it, and stops trusting it', async () => {
    await using cli = await commandLine();
    await cli.serve({});
    const path = await cli.write(FILE, 'label: Shop\nmute: [turn.done]\nrun: rm\n');
    const project = (word: string, ...words: string[]) =>
      cli.run(['project', word, 'shop', ...words]);
    const settings = `  label: Shop\n  mute: turn.done\n  "run" is ignored: a project can only mute and label\n`;

    const before = await project('show');
    const trusted = await project('trust');
    const after = await project('show');
    const json = await project('show', '--json');
    const untrusted = await project('untrust');
    const again = await project('untrust');

    assert.equal(before.stdout, `${path}\n${settings}  not trusted: no effect\n`);
    assert.equal(before.stderr, 'Run "hookbell project trust" to apply it\n');
    assert.deepEqual([trusted.code, trusted.stdout], [0, '']);
    assert.equal(trusted.stderr, `Trusted ${path}\n${settings}`);
    assert.equal(after.stdout, `${path}\n${settings}  trusted: in effect\n`);
    assert.equal(after.stderr, '');
    const { file, ...shown } = JSON.parse(json.stdout);
    assert.equal(file, path);
    assert.deepEqual([shown.trusted, shown.label, shown.mute], [true, 'Shop', ['turn.done']]);
    assert.equal(untrusted.stderr, `No longer trusted: ${path}\n`);
    assert.equal(again.stderr, `It was not trusted: ${path}\n`);
  });

  test('no longer trusts a file that has changed', async () => {
    await using cli = await commandLine();
    await cli.serve({});
    await cli.write(FILE, 'label: Shop\n');
    const trusted = await cli.run(['project', 'trust', 'shop', '--json']);
    await cli.write(FILE, 'mute: [turn.done]\n');

    const { stdout } = await cli.run(['project', 'show', 'shop']);

    assert.deepEqual(
      [JSON.parse(trusted.stdout).trusted, JSON.parse(trusted.stdout).label],
      [true, 'Shop'],
    );
    assert.match(stdout, /\n {2}mute: turn\.done\n {2}not trusted: no effect\n$/);
  });

  test('--json of "untrust" prints one document', async () => {
    await using cli = await commandLine();
    await cli.serve({});
    const path = await cli.write(FILE, '');

    const { stdout, stderr } = await cli.run(['project', 'untrust', 'shop', '--json']);

    assert.deepEqual([JSON.parse(stdout), stderr], [{ file: path, trusted: false }, '']);
  });

  test('ends with 6 where no file applies, and says where it must be', async () => {
    await using cli = await commandLine();

    const { code, stderr } = await cli.run(['project', 'show']);

    assert.equal(code, 6);
    assert.match(
      stderr,
      /No \.hookbell\.yaml applies to "[^"]+"\n {2}It must be in this directory/,
    );
  });

  test('ends with 1 at a file that is never applied, such as a link', async () => {
    await using cli = await commandLine();
    await cli.write('elsewhere.yaml', 'label: Shop\n');
    await symlink(join(cli.home, 'elsewhere.yaml'), join(cli.home, '.hookbell.yaml'));

    for (const word of ['show', 'trust']) {
      const { code, stderr } = await cli.run(['project', word]);

      assert.equal(code, 1);
      assert.match(stderr, /\.hookbell\.yaml" is not applied: it is not a regular file/);
    }
  });

  test('names the command that makes the state directory if nothing was started yet', async () => {
    await using cli = await commandLine();
    await cli.write(FILE, 'label: Shop\n');

    const { code, stderr } = await cli.run(['project', 'trust', 'shop']);

    assert.equal(code, 1);
    assert.match(stderr, /Cannot write ".*trusted-projects\.json"\n {2}Run "hookbell start" once/);
  });
});
