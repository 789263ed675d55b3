import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { PollerMemory } from '../../core/source-event.ts';
import { parseJson } from '../../platform/json.ts';
import { ensurePrivateDirectory } from '../../platform/private-directory.ts';
import { replaceFile } from '../../platform/replace-file.ts';

/** Stores the state of a poller in `NAME.json`, in a directory private to this user. */
export function fileMemory(directory: string, name: string): PollerMemory {
  const path = join(directory, `${name}.json`);
  return {
    // Missing or edited by hand: the poller starts over.
    read: async () => parseJson(await readFile(path, 'utf8').catch(() => '')),
    async write(value) {
      await ensurePrivateDirectory(directory);
      replaceFile(path, `${JSON.stringify(value)}\n`, { mode: 0o600 });
    },
  };
}
