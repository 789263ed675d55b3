import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { projectRoot } from './hookbell-home.ts';

export interface RanRow {
  readonly name: string;
  readonly outcome: 'ok' | 'failed' | 'skipped' | 'unfinished';
}

/** Keeps what a suite ran, from which `npm run generate` writes docs/what-runs-where.md. */
export async function recordRun(
  suite: 'windows' | 'macos',
  system: string,
  rows: readonly RanRow[],
): Promise<void> {
  const path = join(projectRoot, 'test/what-ran.json');
  const before: Record<string, { readonly rows: readonly RanRow[] }> = JSON.parse(
    await readFile(path, 'utf8').catch(() => '{}'),
  );
  // A part of the suite for Windows leaves the record of the other part; that for macOS always runs whole.
  const earlier = suite === 'windows' ? (before[suite]?.rows ?? []) : [];
  const others = earlier.filter(({ name }) => rows.every((row) => row.name !== name));
  const sorted = [...rows, ...others].toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
  const after = { ...before, [suite]: { system, rows: sorted } };
  await writeFile(path, `${JSON.stringify(after, null, 2)}\n`);
}
