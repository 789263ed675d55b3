import { execFile } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { projectRoot } from './hookbell-home.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const run = promisify(execFile);

const MIGRATIONS = 'src/store/postgres/migrations/all.ts';

export interface OlderBuild extends AsyncDisposable {
  /** The project at that commit, with its programs in dist/program. */
  readonly root: string;
  readonly commit: string;
}

/** The newest commit of this repository whose database of PostgreSQL is older than `migrations`; null without a history. */
export async function commitBefore(migrations: number): Promise<string | null> {
  const commits = (await git('log', '--format=%H', '--', MIGRATIONS)).split('\n').filter(Boolean);
  for (const commit of commits) {
    const text = await git('show', `${commit}:${MIGRATIONS}`);
    const [, list = ''] = /serverMigrations[^=]*= \[([^\]]*)\]/.exec(text) ?? [];
    const count = list.split(',').filter((name) => name.trim() !== '').length;
    if (count > 0 && count < migrations) return commit;
  }
  return null;
}

/** Builds the programs of a commit, with the dependencies of this checkout. */
export async function buildOf(commit: string): Promise<OlderBuild> {
  const directory = await temporaryDirectory();
  const root = directory.path;
  const unpack = `git archive ${commit} | tar -x -C '${root}'`;
  await run('sh', ['-c', unpack], { cwd: projectRoot });
  await symlink(join(projectRoot, 'node_modules'), join(root, 'node_modules'));
  // From the sources.
  await run(process.execPath, ['scripts/bundle.mjs'], { cwd: root });
  return { root, commit, [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose]() };
}

/** What git says, or nothing. */
async function git(...words: readonly string[]): Promise<string> {
  try {
    return (await run('git', words, { cwd: projectRoot })).stdout;
  } catch {
    return '';
  }
}
