import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

import type { Outcome, Run } from './jobs.ts';
import { NODE, PACKAGE, type Wine } from './wine.ts';

/** A user of a Windows, with hookbell's folders and those of every agent. */
export interface WindowsHome {
  readonly home: string;
  readonly state: string;
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
  /** What agents were notified of, one line of JSON each. */
  readonly lines: string;
  /** Runs the command of the package, or with `installed` that of the installation. */
  cli(words: readonly string[], installed?: 'installed'): Run;
  write(path: string, text: string): Promise<void>;
  read(path: string): Promise<string>;
}

/** Folders that show that an agent is installed. */
const agents = [
  '.claude',
  '.codex',
  '.gemini',
  '.qwen',
  '.copilot',
  '.cursor',
  '.factory',
  '.config\\opencode',
  '.config\\kilo',
  '.config\\crush',
  '.config\\amp',
  '.vscode',
  '.augment',
  '.letta',
  '.grok',
  '.kiro',
  '.kimi-code',
  '.qoder',
  '.cline',
  '.pi\\agent',
];

/** @param elsewhere its folders for programs, where a company has moved them */
export async function makeHome(
  wine: Wine,
  home: string,
  elsewhere: { readonly APPDATA?: string; readonly LOCALAPPDATA?: string } = {},
): Promise<WindowsHome> {
  const env = {
    USERPROFILE: home,
    APPDATA: `${home}\\AppData\\Roaming`,
    LOCALAPPDATA: `${home}\\AppData\\Local`,
    ...elsewhere,
  };
  const lines = `${home}\\notified.jsonl`;
  const program = `${env.LOCALAPPDATA}\\Programs\\hookbell`;
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(wine.at(path)), { recursive: true });
    await writeFile(wine.at(path), text);
  };
  for (const folder of agents) await mkdir(wine.at(`${home}\\${folder}`), { recursive: true });
  await mkdir(wine.at(env.LOCALAPPDATA), { recursive: true });
  const settings = {
    channels: { lines: { type: 'file', path: lines }, screen: { type: 'desktop' } },
    routes: [{ match: { project: 'toasts' }, notify: ['lines', 'screen'] }, { notify: 'lines' }],
    alerts: { settle: 0 },
  };
  await write(`${env.APPDATA}\\hookbell\\config.yaml`, JSON.stringify(settings));
  return {
    home,
    env,
    lines,
    program,
    state: `${env.LOCALAPPDATA}\\hookbell`,
    cli: (words, installed) => ({
      argv: [
        NODE,
        `${installed === undefined ? PACKAGE : program}\\dist\\program\\cli.js`,
        ...words,
      ],
      env,
    }),
    write,
    read: (path) => readFile(wine.at(path), 'utf8'),
  };
}

/** The last of the jobs, after all of them succeeded. */
export function allDone(outcomes: readonly Outcome[]): Outcome {
  for (const { status, stdout, stderr } of outcomes) {
    if (status !== 0) throw new Error(`Status ${status}: ${stderr}${stdout}`);
  }
  const last = outcomes.at(-1);
  if (last === undefined) throw new Error('There was nothing to do');
  return last;
}

/** As an agent must find its hook: without output, and with status 0. */
export function assertSilent(name: string, outcome: Outcome | undefined): void {
  const { status, stdout, stderr } = outcome ?? { status: null, stdout: '', stderr: '' };
  if (status !== 0 || stdout + stderr !== '') {
    throw new Error(`${name}: status ${status}, said "${stdout}${stderr}"`);
  }
}
