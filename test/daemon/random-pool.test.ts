import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createRandomPool } from '../../src/daemon/decide-now.ts';

test('createRandomPool() hands out each byte once, also where a pool ends', () => {
  let next = 0;
  const take = createRandomPool((count: number) => {
    const bytes = Buffer.alloc(count);
    for (let index = 0; index < count; index += 2) bytes.writeUInt16BE((next += 1), index);
    return bytes;
  });

  const taken = Array.from({ length: 1_000 }, () => Buffer.from(take(10)).toString('hex'));

  assert.equal(new Set(taken).size, 1_000);
  assert.ok(taken.every((hex) => hex.length === 20));
});
