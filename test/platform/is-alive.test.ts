import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

import { processExists } from '../../src/platform/process-table.ts';

test('isAlive(): this process lives, one that has ended does not', () => {
  const { pid } = spawnSync(process.execPath, ['--version']);

  assert.equal(processExists(process.pid), true);
  assert.equal(processExists(pid), false);
});
