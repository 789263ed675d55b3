import { execFile } from 'node:child_process';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { NEWEST_SCHEMA } from '../../src/core/store-aging.ts';

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

/** Gives a copied checkout the version 9.9.9 and one more migration, and builds its program. */
export async function buildNext(checkout: string, version = '9.9.9'): Promise<void> {
  await setVersion(checkout, version);
  await addMigration(checkout);
  await rebuild(checkout);
}

/** Builds the program of a copied checkout again. */
export async function rebuild(checkout: string): Promise<void> {
  await rm(join(checkout, 'dist'), { recursive: true });
  const options = { cwd: checkout };
  await run('node_modules/.bin/tsc', ['--project', 'tsconfig.program.json', '--noCheck'], options);
  await run(process.execPath, ['scripts/bundle.mjs'], options);
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
