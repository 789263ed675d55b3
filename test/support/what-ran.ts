import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { projectRoot } from './hookbell-home.ts';

export interface RanRow {
  readonly name: string;
  readonly outcome: 'ok' | 'failed' | 'skipped' | 'unfinished';
}

/**
 * Keeps what a suite ran, from which `npm run generate` writes docs/what-runs-where.md. A whole run without failures replaces what was
 * kept; any other only changes its rows.
 */
export async function recordRun(
  suite: 'linux' | 'windows' | 'macos',
  system: string,
  { rows, isWhole }: { readonly rows: readonly RanRow[]; readonly isWhole: boolean },
): Promise<void> {
  const path = join(projectRoot, 'test/what-ran.json');
  const before: Record<string, { readonly rows: readonly RanRow[] }> = JSON.parse(
    await readFile(path, 'utf8').catch(() => '{}'),
  );
  const replaces = isWhole && rows.every(({ outcome }) => ['ok', 'skipped'].includes(outcome));
  const earlier = replaces ? [] : (before[suite]?.rows ?? []);
  const others = earlier.filter(({ name }) => rows.every((row) => row.name !== name));
  const sorted = [...rows, ...others].toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
  const after = { ...before, [suite]: { system, rows: sorted } };
  await writeFile(path, `${JSON.stringify(after, null, 2)}\n`);
}
