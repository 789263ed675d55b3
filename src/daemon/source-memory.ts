import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { SourceMemory } from '../core/source-memory.ts';
import { ensurePrivateDirectory } from './directories.ts';
import { replaceFile } from '../setup/replace-file.ts';

/** Keeps what a source remembers in `NAME.json` in a directory of this user alone. */
export function fileMemory(directory: string, name: string): SourceMemory {
  const path = join(directory, `${name}.json`);
  return {
    async read() {
      const text = await readFile(path, 'utf8').catch(() => '');
      try {
        return JSON.parse(text);
      } catch {
        // It was never written, or by a hand: the source begins anew.
        return null;
      }
    },
    async write(value) {
      await ensurePrivateDirectory(directory);
      replaceFile(path, `${JSON.stringify(value)}\n`, { mode: 0o600 });
    },
  };
}
