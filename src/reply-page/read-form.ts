import type { Readable } from 'node:stream';

/** More than any person types; a form writes most characters as three. */
const MAX_BYTES = 1024 * 1024;

/** The answer in a posted form, '' where there is none; null where it is too long. */
export async function readForm(body: Readable): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.length;
    if (size > MAX_BYTES) return null;
    chunks.push(chunk);
  }
  const text = new URLSearchParams(Buffer.concat(chunks).toString('utf8')).get('text') ?? '';
  // Forms end their lines with two characters, whatever was typed.
  return text.replaceAll('\r\n', '\n');
}
