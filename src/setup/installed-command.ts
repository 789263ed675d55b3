import { readFile, readlink } from 'node:fs/promises';
import { win32 } from 'node:path';

import type { Paths } from '../core/paths.ts';
import { programFile } from '../platform/program-files.ts';
import { replaceLink, writeAtomically } from '../platform/replace-file.ts';

type CommandPaths = Pick<Paths, 'command' | 'program'>;

/** True if the command `hookbell` runs the installed program. */
export async function isLinked(
  { command, program }: CommandPaths,
  platform: NodeJS.Platform = process.platform,
): Promise<boolean> {
  if (platform === 'win32') {
    const text = await readFile(command, 'utf8').catch(() => '');
    return text.includes(batchWord(windowsCli(program)));
  }
  return (await readlink(command).catch(() => null)) === programFile('command', program);
}

/** Lets the command `hookbell` run the installed program: a link, on Windows a batch file, since links need a privilege there. */
export async function linkCommand(
  { command, program }: CommandPaths,
  platform: NodeJS.Platform = process.platform,
): Promise<void> {
  if (platform === 'win32') {
    const words = [process.execPath, windowsCli(program)].map(batchWord).join(' ');
    await writeAtomically(command, `@echo off\r\n${words} %*\r\n`, { mode: 0o755 });
    return;
  }
  await replaceLink(command, programFile('command', program));
}

function windowsCli(program: string): string {
  return win32.join(program, 'dist', 'program', 'cli.js');
}

/** A path in a batch file: it cannot contain a quote, and `%` would begin a variable. */
function batchWord(path: string): string {
  return `"${path.replaceAll('%', '%%')}"`;
}
