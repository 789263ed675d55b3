import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { sha256 } from '../platform/crypto.ts';
import { writeAtomically } from '../platform/replace-file.ts';
import { programFile } from '../platform/program-files.ts';
import type { InstallStep } from './run-steps.ts';
import type { Recorder } from './install-recorder.ts';
import { fileExists } from './settings-file.ts';

interface DesktopPlaces {
  /** The command `hookbell`; absolute. */
  readonly command: string;
  /** The folder of the program. */
  readonly checkout: string;
  readonly dataHome: string | null;
}

type InstalledFile = readonly [path: string, content: string | Uint8Array];

/**
 * Registers the name and icon of hookbell with the desktop, which shows both on notifications and in its notification
 * settings (specifications.freedesktop.org/desktop-entry-spec). A file of that name from another program is left alone.
 *
 * @returns null on a system without such desktops
 */
export async function installDesktopEntry(
  { command, checkout, dataHome }: DesktopPlaces,
  recorder: Recorder,
): Promise<InstallStep | null> {
  if (dataHome === null) return null;
  const name = 'desktop';
  const icons = join(dataHome, 'icons', 'hicolor');
  const entry = join(dataHome, 'applications', 'hookbell.desktop');
  const [icon, drawnIcon] = await Promise.all([
    readFile(programFile('icon', checkout)),
    readFile(programFile('drawnIcon', checkout)),
  ]);
  const files: readonly InstalledFile[] = [
    [join(icons, '128x128', 'apps', 'hookbell.png'), icon],
    [join(icons, 'scalable', 'apps', 'hookbell.svg'), drawnIcon],
    [entry, entryText(command)],
  ];
  return installFiles({ name, files, text: entry }, recorder);
}

/**
 * Installs the manual page where `man` looks for that of a program in `bin` beside `share` (manpath(5)).
 *
 * @param page its text; null: the program could not print it
 */
export async function installManual(
  { command, page }: { readonly command: string; readonly page: string | null },
  recorder: Recorder,
): Promise<InstallStep | null> {
  if (page === null) return null;
  const path = join(dirname(dirname(command)), 'share', 'man', 'man1', 'hookbell.1');
  return installFiles({ name: 'manual', files: [[path, page]], text: path }, recorder);
}

/** Writes files of which other programs may have their own, which are left alone. */
async function installFiles(
  { name, files, text }: Pick<InstallStep, 'name' | 'text'> & { files: readonly InstalledFile[] },
  recorder: Recorder,
): Promise<InstallStep> {
  let isChanged = false;
  for (const [path, content] of files) {
    const recorded = recorder.manifest().files.find((file) => file.path === path);
    const isThere = await fileExists(path);
    if (isThere && recorded === undefined) {
      const foreign = `${path} already exists and does not belong to hookbell`;
      return { name, state: 'skipped', text: foreign };
    }
    if (isThere && recorded?.hash === sha256(content)) continue;
    isChanged = true;
    if (recorder.dryRun) continue;
    await recorder.makeDirectory(dirname(path));
    await writeAtomically(path, content, { mode: 0o644 });
    await recorder.recordFile(path, content);
  }
  return { name, state: isChanged ? 'done' : 'unchanged', text };
}

/** Hidden from menus, because it starts nothing. */
function entryText(command: string): string {
  return `[Desktop Entry]
Type=Application
Name=hookbell
Comment=Notifies you when a coding agent waits, finishes or fails
Exec=${quoted(command)} status
Icon=hookbell
Terminal=true
NoDisplay=true
X-GNOME-UsesNotifications=true
`;
}

/** Quoted by the specification's rules for commands, then escaped like every value of the file. */
function quoted(word: string): string {
  const inner = word.replace(/["`$\\]/g, '\\$&').replaceAll('%', '%%');
  return `"${inner.replaceAll('\\', '\\\\')}"`;
}
