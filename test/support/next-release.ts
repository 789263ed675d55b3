import { execFile } from 'node:child_process';
import { cp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { NEWEST_SCHEMA } from '../../src/core/store-aging.ts';
import { copyCheckout } from './checkout.ts';
import { madeOnce } from './made-once.ts';

const run = promisify(execFile);

/** Gives the package of a copied checkout another version. */
export async function setVersion(checkout: string, version: string): Promise<void> {
  await replaceIn(join(checkout, 'package.json'), /"version": "[^"]+"/, `"version": "${version}"`);
}

/** Adds a migration of each kind of database to the sources of a copied checkout. */
export async function addMigration(checkout: string): Promise<void> {
  await replaceIn(
    join(checkout, 'src/store/postgres/server-schema.ts'),
    /channelLimits\]\.join\(''\),\n/,
    "channelLimits].join(''),\n  'ALTER TABLE events ADD COLUMN of_next_release text;',\n",
  );
  await replaceIn(
    join(checkout, 'src/store/sqlite/migrations/migrations.ts'),
    /,?\n?\];\n$/,
    ", 'ALTER TABLE events ADD COLUMN of_next_release TEXT;'];\n",
  );
  await replaceIn(
    join(checkout, 'src/core/store-aging.ts'),
    `NEWEST_SCHEMA = ${NEWEST_SCHEMA}`,
    `NEWEST_SCHEMA = ${NEWEST_SCHEMA + 1}`,
  );
}

/**
 * The program of a next release, `dist/program`, with one more migration, which registers one event more with Gemini CLI. Only
 * to be read. It has the version of the package.json above the folder that it is copied to.
 */
export function nextProgram(): Promise<string> {
  return madeOnce('next-program', async (folder) => {
    await using checkout = await copyCheckout();
    await addMigration(checkout.path);
    await replaceIn(
      join(checkout.path, 'src/agents/gemini/index.ts'),
      "'AfterTool',",
      "'AfterTool', 'PreCompress',",
    );
    const program = join(checkout.path, 'dist/program');
    await rm(program, { recursive: true });
    await run(process.execPath, ['scripts/bundle.mjs'], { cwd: checkout.path });
    await cp(program, folder, { recursive: true });
  });
}

/**
 * Replaces the first match in a file of a copied checkout. In a new file: a copied one may be linked to the original.
 *
 * @throws Error if nothing matches
 */
export async function replaceIn(path: string, from: string | RegExp, to: string): Promise<void> {
  const before = await readFile(path, 'utf8');
  const after = before.replace(from, () => to);
  if (after === before) throw new Error(`Nothing to replace in ${path}: ${String(from)}`);
  await writeFile(`${path}.new`, after);
  await rename(`${path}.new`, path);
}
