import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boundedText } from '../../../src/channels/slack/bounded-text.ts';

/** A body of endless "ab" whose `read` counts the chunks taken and `left` says whether it was let go. */
function endless(): { body: AsyncIterable<Uint8Array>; taken: () => number; left: () => boolean } {
  let taken = 0;
  let left = false;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        taken += 1;
        yield await Promise.resolve(Buffer.from('ab'));
      }
    } finally {
      left = true;
    }
  }
  return { body: chunks(), taken: () => taken, left: () => left };
}

test('boundedText() stops at the limit and lets the rest go (P33)', async () => {
  const { body, taken, left } = endless();

  assert.equal(await boundedText(body, 5), 'ababa');
  assert.equal(taken(), 3);
  assert.equal(left(), true);
});

test('boundedText() gives a short body whole, and "" for none', async () => {
  assert.equal(await boundedText(new Blob(['ö', 'k']).stream(), 64), 'ök');
  assert.equal(await boundedText(null, 64), '');
});
