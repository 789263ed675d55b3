import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { HookFacts } from '../../src/core/facts.ts';

/** The bytes a hook leaves in the file `name`. */
export function envelopeBytes(
  name: string,
  payload: string | Uint8Array,
  facts: HookFacts = {},
): Buffer {
  const header = Object.entries(facts).map(([key, value]) => `${key}=${value}\n`);
  return Buffer.concat([
    Buffer.from(`hookbell 1\n${header.join('')}\n`),
    Buffer.from(payload),
    Buffer.from(`\nhookbell-end ${name}\n`),
  ]);
}

/** Leaves an envelope in a spool as a hook does, with only its first `cut` bytes if that is given; answers its name. */
export async function putEnvelope(
  spool: string,
  payload: string | Uint8Array | object,
  { name = randomUUID(), facts = {}, cut }: { name?: string; facts?: HookFacts; cut?: number } = {},
): Promise<string> {
  const isRaw = typeof payload === 'string' || payload instanceof Uint8Array;
  const bytes = envelopeBytes(name, isRaw ? payload : JSON.stringify(payload), facts);
  await writeFile(join(spool, name), bytes.subarray(0, cut));
  return name;
}
