import assert from 'node:assert/strict';
import { test } from 'node:test';

import { commandLine } from '../../support/command-line.ts';

test('start says at once that the daemon ended with an error, and where the reason is', async () => {
  await using cli = await commandLine();
  // Where the state directory should be is a file, so that no daemon can start.
  await cli.write('s', 'a file');

  const { code, stderr } = await cli.run(['start']);

  assert.equal(code, 1);
  assert.match(stderr, /The daemon ended while it started/);
  assert.match(stderr, /hookbell daemon/);
});
