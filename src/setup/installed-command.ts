import { readFile, readlink } from 'node:fs/promises';
import { win32 } from 'node:path';

import type { Paths } from '../core/paths.ts';
import { lastingNode, programFile } from '../platform/program-files.ts';
import { replaceLink, writeAtomically } from '../platform/replace-file.ts';

type CommandPaths = Pick<Paths, 'command' | 'program'>;

/** True if the command `hookbell` runs the installed program. */
export async function isLinked(
  { command, program }: CommandPaths,
  platform: NodeJS.Platform = process.platform,
): Promise<boolean> {
  if (platform === 'win32') {
    const text = await readFile(command, 'utf8').catch(() => '');
    return text === batchFile(program);
  }
  return (await readlink(command).catch(() => null)) === programFile('command', program);
}

/** Lets the command `hookbell` run the installed program: a link, on Windows a batch file, since links need a privilege there. */
export async function linkCommand(
  { command, program }: CommandPaths,
  platform: NodeJS.Platform = process.platform,
): Promise<void> {
  if (platform === 'win32') {
    await writeAtomically(command, batchFile(program), { mode: 0o755 });
    return;
  }
  await replaceLink(command, programFile('command', program));
}

/** Its last line is the one that runs, because `uninstall` and `upgrade` take the file away meanwhile. */
function batchFile(program: string): string {
  const node = batchPath(lastingNode());
  const cli = batchPath(win32.join(program, 'dist', 'program', 'cli.js'));
  const lines = [
    '@echo off',
    'setlocal',
    // No program of the current folder is used, such as a Node in place of the one that installed it.
    'set NoDefaultCurrentDirectoryInExePath=1',
    // Read in the code page of the console, which has few letters.
    ...(/[^\0-\x7f]/.test(node + cli) ? ['chcp 65001 >nul'] : []),
    'set hookbell_node=node',
    `if exist ${node} set hookbell_node=${node}`,
    `%hookbell_node% ${cli} %* & exit /b`,
  ];
  return lines.map((line) => `${line}\r\n`).join('');
}

/** A path in a batch file: it cannot contain a quote, and `%` begins a variable, such as those that hold most folders of users. */
function batchPath(path: string): string {
  for (const name of ['LOCALAPPDATA', 'APPDATA', 'USERPROFILE']) {
    const folder = process.env[name];
    if (folder !== undefined && folder !== '' && path.startsWith(`${folder}\\`)) {
      return `"%${name}%${path.slice(folder.length).replaceAll('%', '%%')}"`;
    }
  }
  return `"${path.replaceAll('%', '%%')}"`;
}
