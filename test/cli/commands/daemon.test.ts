import assert from 'node:assert/strict';
import { test } from 'node:test';

import { commandLine } from '../../support/command-line.ts';

test('start names a file that stands where the state directory should be, and what to do', async () => {
  await using cli = await commandLine();
  // Where the state directory should be is a file, so that no daemon can start.
  await cli.write('s', 'a file');

  const { code, stderr } = await cli.run(['start']);

  assert.equal(code, 1);
  assert.match(stderr, /a file with that name already exists\n {2}Move it away, then try again/);
});
