import assert from 'node:assert/strict';
import { test } from 'node:test';

import { readWithin } from '../../src/platform/read-within.ts';

const pieces = ['one', ' and ', 'two'].map((text) => new TextEncoder().encode(text));

test('readWithin() answers all of a stream that is just as long as it may be', async () => {
  const whole = await readWithin(ReadableStream.from(pieces), 11);

  assert.equal(new TextDecoder().decode(whole ?? undefined), 'one and two');
});

test('readWithin() reads no further in a stream that is too long, and closes it', async () => {
  const seen: string[] = [];
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        seen.push('asked');
        yield new Uint8Array(4);
      }
    } finally {
      seen.push('closed');
    }
  }

  assert.equal(await readWithin(endless(), 11), null);

  assert.deepEqual(seen, ['asked', 'asked', 'asked', 'closed']);
});
