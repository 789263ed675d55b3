import type { Readable } from 'node:stream';

const MAX_LINE_BYTES = 1024 * 1024;
const LINE_FEED = 0x0a;

/** Calls back with each line of a stream as it comes. One that is too long is left out, so that memory stays bounded. */
export function readLines(stream: Readable, onLine: (line: string) => void): void {
  let parts: Buffer[] = [];
  let size = 0;
  stream.on('data', (chunk: Buffer) => {
    let rest = chunk;
    for (;;) {
      const end = rest.indexOf(LINE_FEED);
      const piece = end === -1 ? rest : rest.subarray(0, end);
      size += piece.length;
      if (size <= MAX_LINE_BYTES) parts.push(piece);
      else parts = [];
      if (end === -1) return;
      if (size <= MAX_LINE_BYTES) onLine(Buffer.concat(parts).toString('utf8'));
      parts = [];
      size = 0;
      rest = rest.subarray(end + 1);
    }
  });
}
