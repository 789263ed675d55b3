import { win32 } from 'node:path';

import type { Paths } from '../../core/paths.ts';
import { lastingNode } from '../../platform/program-files.ts';
import { windowsFolder, windowsProgram } from '../../platform/find-program.ts';
import type { InstallStep, RunStep } from '../run-steps.ts';

const KEY = String.raw`HKCU\Software\Classes\hookbell`;
const COMMAND = String.raw`${KEY}\shell\open\command`;

/**
 * The command with which Windows opens a link of a toast, for this user alone: clicks and buttons need no other registration
 * (https://learn.microsoft.com/previous-versions/windows/internet-explorer/ie-developer/platform-apis/aa767914(v=vs.85)). The
 * console host keeps Node's window hidden. Null if Windows would change the paths: it replaces "%1".
 */
export function linkCommandLine(
  { program }: Pick<Paths, 'program'>,
  env: Readonly<Record<string, string | undefined>>,
  node = lastingNode(),
): string | null {
  const cli = win32.join(program, 'dist', 'program', 'cli.js');
  const host = windowsProgram('conhost', windowsFolder(env));
  const line = `"${host}" --headless "${node}" "${cli}" open -- "%1"`;
  return line.replace('"%1"', '').includes('%') ? null : line;
}

function set(key: string, ...words: readonly string[]): readonly string[] {
  return ['reg', 'add', key, ...words, '/f'];
}

/** The commands that register it, and take it back. */
export function toastLinkSteps(line: string) {
  return {
    enable: [
      set(KEY, '/ve', '/d', 'URL:hookbell'),
      set(KEY, '/v', 'URL Protocol', '/d', ''),
      set(COMMAND, '/ve', '/d', line),
    ],
    disable: [['reg', 'delete', KEY, '/f']],
    known: ['reg', 'query', COMMAND, '/ve'],
  } as const;
}

/** Lets clicks on toasts reach the daemon; null on other systems. */
export async function installToastLinks(
  { paths, env }: { readonly paths: Paths; readonly env: NodeJS.ProcessEnv },
  run: RunStep,
  dryRun: boolean,
): Promise<InstallStep | null> {
  if (process.platform !== 'win32') return null;
  const name = 'links';
  const line = linkCommandLine(paths, env);
  if (line === null) {
    return { name, state: 'skipped', text: 'clicks on toasts do nothing: a path contains "%"' };
  }
  if (!dryRun) {
    for (const argv of toastLinkSteps(line).enable) {
      const { ok, message } = await run(argv);
      if (!ok)
        return { name, state: 'failed', text: `clicks on toasts do nothing: reg: ${message}` };
    }
  }
  return { name, state: 'done', text: `clicks on toasts: ${KEY}` };
}

/** Returns whether there was something to remove. */
export async function removeToastLinks(run: RunStep, dryRun: boolean): Promise<boolean> {
  if (process.platform !== 'win32') return false;
  const { disable, known } = toastLinkSteps('');
  if (!(await run(known)).ok) return false;
  if (!dryRun) for (const argv of disable) await run(argv);
  return true;
}
