import type { Readable } from 'node:stream';

import { readWithin } from '../core/read-within.ts';

/** More than any person types; a form writes most characters as three. */
const MAX_BYTES = 1024 * 1024;

/** The answer in a posted form, '' where there is none; null where it is too long. */
export async function readForm(body: Readable): Promise<string | null> {
  const bytes = await readWithin(body, MAX_BYTES);
  if (bytes === null) return null;
  const text = new URLSearchParams(new TextDecoder().decode(bytes)).get('text') ?? '';
  // Forms end their lines with two characters, whatever was typed.
  return text.replaceAll('\r\n', '\n');
}
