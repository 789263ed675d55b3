import assert from 'node:assert/strict';
import { test } from 'node:test';

import { editorOf } from '../../../src/attention/focus/editors.ts';

const rows: readonly (readonly [binary: string, command: string | undefined])[] = [
  ['/usr/share/code/code', 'code'],
  ['/snap/code/157/usr/share/code/code', 'code'],
  ['/usr/share/code-insiders/code-insiders', 'code-insiders'],
  ['/usr/share/codium/codium', 'codium'],
  ['/tmp/.mount_cursorAbCdEf/usr/share/cursor/cursor', 'cursor'],
  ['/opt/windsurf/windsurf', 'windsurf'],
  [
    '/Applications/Visual Studio Code.app/Contents/Frameworks/Code Helper (Plugin).app/Contents/MacOS/Code Helper (Plugin)',
    'code',
  ],
  ['/Users/dev/Applications/Cursor.app/Contents/MacOS/Cursor', 'cursor'],
  ['/tmp/evil', undefined],
  ['code', undefined],
];

test('editorOf() distinguishes the editors by the binary they name, and knows no other', () => {
  for (const [binary, command] of rows) {
    const facts = { term_program: 'vscode', vscode_git_askpass_node: binary };

    assert.equal(editorOf(facts)?.command, command, binary);
  }
});

test('editorOf() believes the application of macOS where no binary is named, and no other terminal', () => {
  const facts = { term_program: 'vscode', cf_bundle_identifier: 'com.vscodium' };

  assert.equal(editorOf(facts)?.command, 'codium');
  assert.equal(editorOf({ ...facts, term_program: 'kitty' }), null);
});
