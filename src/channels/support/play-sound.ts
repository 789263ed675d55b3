import { access } from 'node:fs/promises';
import { join } from 'node:path';

import type { ChannelDependencies } from '../../core/channel.ts';
import {
  encodedCommand,
  jsonLine,
  resolvePath,
  windowsFolder,
  windowsProgram,
} from '../../platform/find-program.ts';
import { firstInstalled, type ProgramWay, runFirst } from './run-first.ts';

type Machine = Pick<ChannelDependencies, 'platform' | 'env' | 'baseDir'>;

const LONGEST_MS = 10_000;
/** Where the usual sounds are; only canberra-gtk-play knows the theme that is chosen, and it needs a display. */
const THEME = '/usr/share/sounds/freedesktop/stereo';

const POWERSHELL = `(New-Object Media.SoundPlayer ([Console]::In.ReadLine() | ConvertFrom-Json).file).PlaySync()`;

/** Plays it to its end; returns why not, or null. @param sound a path, with a dot or a slash, or a name */
export async function playSound(
  sound: string,
  machine: Machine,
  signal: AbortSignal,
): Promise<string | null> {
  const bounds = { timeoutMs: LONGEST_MS, signal };
  return (await runFirst(players(sound, machine), machine, bounds))?.reason ?? null;
}

/** Why it cannot be played, as far as is known without playing it; null: it may be. */
export async function whyUnplayable(sound: string, machine: Machine): Promise<string | null> {
  const path = pathOf(sound, machine);
  const trouble = path === null ? undefined : await access(path).catch(() => 'cannot be read');
  if (trouble !== undefined) return `"${path}" ${trouble}`;
  const ways = players(sound, machine);
  if ((await firstInstalled(ways, machine)) !== null) return null;
  return `${ways.map(({ program }) => program).join(', ')}: none of these was found`;
}

function pathOf(sound: string, machine: Machine): string | null {
  return /[\\/.]/.test(sound) ? resolvePath(sound, machine) : null;
}

function players(sound: string, machine: Machine): readonly ProgramWay[] {
  const path = pathOf(sound, machine);
  const { platform, env } = machine;
  if (platform === 'darwin') {
    return [{ program: 'afplay', words: [path ?? `/System/Library/Sounds/${sound}.aiff`] }];
  }
  if (platform === 'win32') {
    const folder = windowsFolder(env);
    const input = jsonLine({ file: path ?? join(folder, 'Media', `${sound}.wav`) });
    const program = windowsProgram('powershell', folder);
    return [{ program, words: encodedCommand(POWERSHELL), input }];
  }
  const file = path ?? `${THEME}/${sound}.oga`;
  return [
    { program: 'canberra-gtk-play', words: path === null ? ['-i', sound] : ['-f', path] },
    { program: 'paplay', words: [file] },
    { program: 'pw-play', words: [file] },
  ];
}
