import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import type { SpoolEntry } from '../../src/intake/listing.ts';
import { receive } from '../../src/intake/receive.ts';
import type { Spool } from '../../src/intake/spool.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const entry: SpoolEntry = { name: '0'.repeat(32), size: 5, createdAt: 0 };

function spoolThat(take: Spool['take']): Spool {
  return { take, list: async () => [entry], remove: () => undefined };
}

test('receive(): trouble of the machine leaves the envelope where it is', async () => {
  await using directory = await temporaryDirectory();
  const spool = spoolThat(() => {
    statSync(join(directory.path, 'missing'));
    return { type: 'gone' };
  });

  assert.equal(receive(spool, entry, { receivedAt: 0 }).type, 'failed');
});

test('receive(): a bug sets the envelope aside, so that it is not met again and again', () => {
  const bug = new TypeError('x is undefined');
  const spool = spoolThat(() => {
    throw bug;
  });

  const received = receive(spool, entry, { receivedAt: 0 });

  assert.ok(received.type === 'set-aside');
  assert.equal(received.error, bug);
  assert.equal(received.file.reason, 'bad-envelope');
  assert.doesNotMatch(received.file.detail, /undefined/);
});
