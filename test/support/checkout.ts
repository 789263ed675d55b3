import { execFile } from 'node:child_process';
import { copyFile, mkdir, realpath, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { projectRoot } from './hookbell-home.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const run = promisify(execFile);

export interface Checkout extends AsyncDisposable {
  readonly path: string;
}

/** A copy of what git knows of this project, built and with its packages, so that nothing has to be fetched. */
export async function copyCheckout(): Promise<Checkout> {
  const directory = await temporaryDirectory();
  const path = directory.path;
  await run('sh', ['-c', 'git ls-files -z | xargs -0 cp --parents -t "$1"', 'sh', path], {
    cwd: projectRoot,
  });
  const built = ['program', 'src', 'hooks'].map((part) => join(projectRoot, 'dist', part));
  await mkdir(join(path, 'dist'));
  await run('cp', ['-a', '-t', join(path, 'dist'), ...built]);

  const packages = join(path, 'node_modules');
  const source = await realpath(join(projectRoot, 'node_modules'));
  // Links are as good as copies and much faster, but do not reach another file system.
  await run('cp', ['-al', source, packages]).catch(async () => {
    await rm(packages, { recursive: true, force: true });
    await run('cp', ['-a', source, packages]);
  });
  await markAsInstalled(packages, join(source, '.package-lock.json'));
  return {
    path,
    async [Symbol.asyncDispose]() {
      // Node would take ten times as long.
      await run('rm', ['-rf', packages]);
      await directory[Symbol.asyncDispose]();
    },
  };
}

/** As new as right after `npm ci`. A copy, because a link would change the date of the original. */
async function markAsInstalled(packages: string, original: string): Promise<void> {
  const mark = join(packages, '.package-lock.json');
  await rm(mark, { force: true });
  await copyFile(original, mark);
  const now = new Date();
  await utimes(mark, now, now);
}
