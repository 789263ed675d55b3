import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';

import { editorFolder } from '../../src/attention/session-place.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const facts = { term_program: 'vscode', vscode_git_askpass_node: '/usr/share/code/code' };

/** Finds the window that shows a directory, by what VS Code records as open in a temporary home. */
async function asked(
  directory: string,
  state: string,
  within = '.config/Code',
): Promise<string | null> {
  await using home = await temporaryDirectory();
  const path = join(home.path, within, 'User/globalStorage/storage.json');
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, state);
  const platform = within.startsWith('Library') ? 'darwin' : 'linux';
  return await editorFolder(facts, directory, { env: { HOME: home.path }, platform });
}

const state = JSON.stringify({
  theme: 'dark',
  windowsState: {
    lastActiveWindow: { folder: 'file:///home/dev/else' },
    openedWindows: [
      { folder: 'file:///home/dev', uiState: { mode: 1 } },
      { folder: 'file:///home/dev/a%20shop' },
      { workspaceIdentifier: { id: '1', configURIPath: 'file:///home/team/all.code-workspace' } },
      { folder: 'vscode-remote://ssh-remote%2Bhost/home/far' },
      { backupPath: '/home/dev/.config/Code/Backups/1' },
    ],
  },
});

describe('editorFolder()', () => {
  test('answers the nearest folder around the directory that a window has open', async () => {
    assert.equal(await asked('/home/dev/a shop', state), '/home/dev/a shop');
    assert.equal(await asked('/home/dev/a shop/cart', state), '/home/dev/a shop');
    assert.equal(await asked('/home/dev/a shopping', state), '/home/dev');
  });

  test('answers the workspace file whose folder is around the directory', async () => {
    assert.equal(await asked('/home/team/site', state), '/home/team/all.code-workspace');
  });

  test('answers null for what no window has open, or one on another machine', async () => {
    for (const directory of ['/srv', '/home', '/home/far', '/home/developer']) {
      assert.equal(await asked(directory, state), null, directory);
    }
  });

  test('looks where macOS keeps it', async () => {
    const within = 'Library/Application Support/Code';

    assert.equal(await asked('/home/dev', state, within), '/home/dev');
    // As macOS compares them.
    const named = state.replace('a%20shop', 'K%C3%A4se');
    assert.equal(await asked('/home/Dev/ka\u0308se/cart', named, within), '/home/dev/K\u00E4se');
    assert.equal(await asked('/home/Dev/K\u00E4se', named), null);
  });

  test('answers null where the state is missing or of another kind', async () => {
    assert.equal(await asked('/home/dev', state, '.config/Cursor'), null);
    for (const other of ['', '{}', '[]', '{"windowsState":{"openedWindows":"/home/dev"}}']) {
      assert.equal(await asked('/home/dev', other), null, other);
    }
  });
});
