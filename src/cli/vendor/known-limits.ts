import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { z } from 'zod';

import { limitKey } from '../../vendor/reports/limit-rows.ts';
import { writeAtomically } from '../../setup/settings-file.ts';
import type { LimitLine } from './limit-report.ts';

/** By address of the service, then by `limitKey` of the user: standard credits, or "null". */
const schema = z.record(z.string(), z.record(z.string(), z.string()));

/**
 * The limits that the service named when they were set from this machine. The interface has no way to read a limit, so this
 * is all there is to say what a limit was before.
 */
export interface KnownLimits {
  /** Null: it was not set from here. */
  of(email: string): string | null;
  /** Keeps what the service named; what may have changed without an answer is not known any longer. */
  keep(lines: readonly LimitLine[]): Promise<void>;
}

/** @param state the state directory @param service the service's base address */
export function knownLimits(state: string, service: string): KnownLimits {
  const path = join(state, 'limits.json');
  const all = read(path);
  const known = new Map(Object.entries(all[service] ?? {}));
  return {
    of: (email) => known.get(limitKey(email)) ?? null,
    keep: async (lines) => {
      for (const { email, result, returnedLimit } of lines) {
        if (result === 'updated') known.set(limitKey(email), returnedLimit);
        else if (result === 'no answer') known.delete(limitKey(email));
      }
      await mkdir(state, { recursive: true, mode: 0o700 });
      await writeAtomically(
        path,
        `${JSON.stringify({ ...all, [service]: Object.fromEntries(known) })}\n`,
      );
    },
  };
}

/** A file that is not there, or is none of ours, knows nothing. */
function read(path: string): z.infer<typeof schema> {
  try {
    return schema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return {};
  }
}
