import { readFile } from 'node:fs/promises';

import type { JsonNode } from './json-tree.ts';
import { readJsonTree } from './json-tree.ts';

/** A JSON file that is there and can be read. */
export interface JsonFile {
  readonly path: string;
  readonly root: JsonNode;
}

/** Reads those of the files that can be read, each once, in their order. */
export async function readJsonTrees(paths: readonly string[]): Promise<readonly JsonFile[]> {
  const read = await Promise.all(
    [...new Set(paths)].map(async (path) => {
      const tree = readJsonTree(await readFile(path, 'utf8').catch(() => ''));
      return tree.ok ? [{ path, root: tree.root }] : [];
    }),
  );
  return read.flat();
}
