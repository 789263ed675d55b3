import assert from 'node:assert/strict';
import { test } from 'node:test';

import { silentLog } from '../../src/platform/log.ts';
import { createClearing, type SpoolEntry } from '../../src/intake/listing.ts';

function entry(name: string): SpoolEntry {
  return { name, size: 1, createdAt: 0 };
}

test('clearing: what cannot be removed is tried again, and is not taken in meanwhile (fault 14)', () => {
  const said: string[] = [];
  const clearing = createClearing({
    ...silentLog,
    error: (_, sentence) => void said.push(sentence),
  });
  let isReadOnly = true;
  let removed = 0;
  const remove = () => {
    if (isReadOnly) throw new Error('EROFS');
    removed += 1;
  };

  clearing.clear('a', remove);
  clearing.retry([entry('a')]);
  assert.equal(clearing.isPending('a'), true);
  isReadOnly = false;
  clearing.retry([entry('a')]);

  assert.equal(clearing.isPending('a'), false);
  assert.equal(removed, 1);
  assert.deepEqual(said, ['Cannot clear a file from the spool']);
});

test('clearing: a file that went away otherwise is forgotten', () => {
  const clearing = createClearing(silentLog);
  clearing.clear('a', () => {
    throw new Error('EACCES');
  });

  clearing.retry([entry('b')]);

  assert.equal(clearing.isPending('a'), false);
});
