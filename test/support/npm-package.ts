import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { projectRoot } from './hookbell-home.ts';
import { madeOnce } from './made-once.ts';
import { nextProgram, setVersion } from './next-release.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const run = promisify(execFile);

/** The file that `npm pack` makes of this project; only to be read. */
export async function packedProject(): Promise<string> {
  const folder = await madeOnce('npm-package', async (place) => {
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: place,
      npm_config_cache: join(place, 'c'),
    };
    await run('npm', ['pack', projectRoot, '--pack-destination', place], { env, cwd: place });
  });
  const [name] = (await readdir(folder)).filter((path) => path.endsWith('.tgz'));
  if (name === undefined) throw new Error('npm packed nothing');
  return join(folder, name);
}

/** The package as npm packs it, but with another version, and the program of the next release if that is wanted. */
export async function packRelease(
  version: string,
  { destination, isNext = false }: { readonly destination: string; readonly isNext?: boolean },
): Promise<string> {
  await using unpacked = await temporaryDirectory();
  const file = join(destination, `hookbell-${version}.tgz`);
  const folder = join(unpacked.path, 'package');
  await run('tar', ['-xzf', await packedProject(), '-C', unpacked.path]);
  await setVersion(folder, version);
  if (isNext) {
    const program = join(folder, 'dist/program');
    await rm(program, { recursive: true });
    await cp(await nextProgram(), program, { recursive: true });
  }
  await mkdir(destination, { recursive: true });
  await run('tar', ['-I', 'gzip -1', '-cf', file, '-C', unpacked.path, 'package']);
  return file;
}
