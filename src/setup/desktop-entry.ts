import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { programFile } from '../core/program-files.ts';
import type { InstallStep } from './run-steps.ts';
import type { Recorder } from './recorder.ts';
import { fileExists, hashOf, writeAtomically } from './settings-file.ts';

/**
 * Makes hookbell known to the desktop by name and icon, so that its pop-ups carry both and can be set up in the desktop's own settings
 * (specifications.freedesktop.org/desktop-entry-spec). A file of that name that is not of hookbell is left alone.
 *
 * @returns null on a system without such desktops
 */
export async function installDesktopEntry(
  {
    command,
    checkout,
    dataHome,
  }: {
    /** What people type; absolute. */
    readonly command: string;
    /** The folder of the program. */
    readonly checkout: string;
    readonly dataHome: string | null;
  },
  recorder: Recorder,
): Promise<InstallStep | null> {
  if (dataHome === null) return null;
  const name = 'desktop';
  const icons = join(dataHome, 'icons', 'hicolor');
  const entry = join(dataHome, 'applications', 'hookbell.desktop');
  const files: readonly (readonly [path: string, content: string | Uint8Array])[] = [
    [join(icons, '128x128', 'apps', 'hookbell.png'), await readFile(programFile('icon', checkout))],
    [
      join(icons, 'scalable', 'apps', 'hookbell.svg'),
      await readFile(programFile('drawnIcon', checkout)),
    ],
    [entry, entryText(command)],
  ];
  let isChanged = false;
  for (const [path, content] of files) {
    const known = recorder.manifest().files.find((file) => file.path === path);
    const isThere = await fileExists(path);
    if (isThere && known === undefined) {
      return { name, state: 'skipped', text: `${path} is there already, and not of hookbell` };
    }
    if (isThere && known?.hash === hashOf(content)) continue;
    isChanged = true;
    if (recorder.dryRun) continue;
    await recorder.makeDirectory(dirname(path));
    await writeAtomically(path, content, { mode: 0o644 });
    await recorder.recordFile(path, content);
  }
  return { name, state: isChanged ? 'done' : 'unchanged', text: entry };
}

/** Not in menus, since there is nothing to start. */
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

/** As the specification wants it: quoted by its own rules, then escaped as every value of the file. */
function quoted(word: string): string {
  const inner = word.replace(/["`$\\]/g, '\\$&').replaceAll('%', '%%');
  return `"${inner.replaceAll('\\', '\\\\')}"`;
}
