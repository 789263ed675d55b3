import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boundedText } from '../../src/platform/read-within.ts';

/** A body that never ends; `left` returns whether its reader let it go, `taken` how many bytes it took. */
function endless(): { body: AsyncIterable<Uint8Array>; taken: () => number; left: () => boolean } {
  let taken = 0;
  let left = false;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    const chunk = Buffer.alloc(1_000, 'ab');
    try {
      for (;;) {
        taken += chunk.length;
        yield await Promise.resolve(chunk);
      }
    } finally {
      left = true;
    }
  }
  return { body: chunks(), taken: () => taken, left: () => left };
}

test('boundedText() stops at 64 KB and lets the rest go (P33)', async () => {
  const { body, taken, left } = endless();

  const text = await boundedText(body);

  assert.equal(text, 'ab'.repeat(32_768));
  assert.equal(taken(), 66_000);
  assert.equal(left(), true);
});

test('boundedText() gives a short body whole, and "" for none', async () => {
  assert.equal(await boundedText(new Blob(['ö', 'k']).stream()), 'ök');
  assert.equal(await boundedText(null), '');
});
