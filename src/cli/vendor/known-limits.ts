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
 * The limits that the service returned when they were set from this machine. The interface cannot read limits, so this is the
 * only source of the previous value.
 */
export interface KnownLimits {
  /** Null: not set from this machine. */
  of(email: string): string | null;
  /** Stores the returned limits and forgets those that may have changed without an answer. */
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

/** Empty if the file is missing or invalid. */
function read(path: string): z.infer<typeof schema> {
  try {
    return schema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return {};
  }
}
