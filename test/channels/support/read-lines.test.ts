import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';

import * as fc from 'fast-check';

import { readLines } from '../../../src/channels/support/read-lines.ts';

/** The lines that are told of what comes in these pieces. */
async function linesOf(pieces: readonly Uint8Array[]): Promise<readonly string[]> {
  const stream = new PassThrough();
  const lines: string[] = [];
  readLines(stream, (line) => lines.push(line));
  for (const piece of pieces) stream.write(piece);
  stream.end();
  await new Promise((resolve) => stream.once('end', resolve));
  return lines;
}

test('readLines() tells each whole line, wherever the pieces are cut', async () => {
  const line = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ' '));
  await fc.assert(
    fc.asyncProperty(fc.array(line), fc.integer({ min: 1, max: 9 }), async (lines, size) => {
      const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''));
      const count = Math.ceil(bytes.length / size);
      const pieces = Array.from({ length: count }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      );

      assert.deepEqual(await linesOf(pieces), lines);
    }),
  );
});

test('readLines() leaves out a line of more than 1 MB, and goes on with the next', async () => {
  const long = Buffer.alloc(700_000, 'x');

  const lines = await linesOf([Buffer.from('a\n'), long, long, Buffer.from('\nb\nunfinished')]);

  assert.deepEqual(lines, ['a', 'b']);
});
