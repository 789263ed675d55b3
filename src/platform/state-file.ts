import { readFileSync } from 'node:fs';

import type { z } from 'zod';

import { parseJson } from './json.ts';
import { replaceFile } from './replace-file.ts';

/** A JSON file of this user alone that keeps a state over a restart. */
export interface StateFile<State> {
  /**
   * Null: there is no such file, or it does not fit the schema.
   *
   * @param onInvalid called for the latter
   */
  read(onInvalid?: () => void): State | null;
  /** @throws when the directory takes no file */
  write(state: State): void;
}

/** @param options.durable what was written survives a power cut */
export function stateFile<State>(
  path: string,
  schema: z.ZodType<State>,
  { durable = false }: { readonly durable?: boolean } = {},
): StateFile<State> {
  return {
    read(onInvalid) {
      let text: string;
      try {
        text = readFileSync(path, 'utf8');
      } catch {
        return null;
      }
      const read = schema.safeParse(parseJson(text));
      if (!read.success) onInvalid?.();
      return read.data ?? null;
    },
    write: (state) => replaceFile(path, JSON.stringify(state), { mode: 0o600, durable }),
  };
}
