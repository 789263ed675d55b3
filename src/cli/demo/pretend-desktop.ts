import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const SERVICE = 'org.freedesktop.Notifications';
const OBJECT = '/org/freedesktop/Notifications';
const CLOSE = ['--user', '--', 'call', SERVICE, OBJECT, SERVICE, 'CloseNotification', 'u'];

/** What a desktop was asked to do with a pop-up. */
export interface PopUpNote {
  readonly action: 'rings' | 'withdraws';
  /** The number of the pop-up, as the desktop gave it. */
  readonly id: string;
  /** Of a withdrawal the title of the pop-up that was shown. */
  readonly title: string;
  readonly body: string;
}

export interface PretendDesktop {
  /** Folder that stands first on the daemon's PATH. */
  readonly bin: string;
  /** Everything so far, in order. */
  notes(): Promise<readonly PopUpNote[]>;
  /** Takes back what still stands on the desktop of the person. Never rejects. */
  clear(env: Readonly<Record<string, string>>): Promise<void>;
}

/**
 * Puts a `busctl` in the way of the desktop channel that notes every pop-up; all else of the channel is real. The
 * fields end with US and the notes with RS (ASCII 31 and 30), which no notification holds.
 *
 * @param realPath the PATH on which the real busctl is asked as well, so that the person sees the pop-ups; null: nobody does
 */
export async function pretendDesktop(
  home: string,
  realPath: string | null,
): Promise<PretendDesktop> {
  const bin = join(home, 'bin');
  await mkdir(bin, { mode: 0o700 });
  const program = join(bin, 'busctl');
  await writeFile(program, realPath === null ? pretending() : handingOn(realPath));
  await chmod(program, 0o700);
  const file = join(home, 'desktop');
  const notes = async (): Promise<readonly PopUpNote[]> =>
    parse(await readFile(file, 'utf8').catch(() => ''));
  return {
    bin,
    notes,
    async clear(env) {
      if (realPath === null) return;
      for (const id of standing(await notes())) {
        const child = spawn(program, [...CLOSE, id], { env, stdio: 'ignore' });
        await once(child, 'close').catch(() => undefined);
      }
    },
  };
}

// The arguments, from the first: --user -- call SERVICE OBJECT INTERFACE METHOD SIGNATURE, then those of the method.
const note = String.raw`#!/bin/sh
note() { printf '%s\037%s\037%s\037%s\036' "$@" >>"$HOME/desktop"; }
`;

function pretending(): string {
  return `${note}case $7 in
  GetCapabilities) echo 'as 1 "body"' ;;
  Notify)
    id=\${10}
    if [ "$id" = 0 ]; then
      read -r last <"$HOME/desktop-ids" || last=0
      id=$((last + 1))
      echo "$id" >"$HOME/desktop-ids"
    fi
    note rings "$id" "\${12}" "\${13}"
    echo "u $id"
    ;;
  CloseNotification) note withdraws "$9" '' '' ;;
esac
`;
}

function handingOn(path: string): string {
  return `${note}PATH=${quote(path)}
answer=$(busctl "$@") || exit
case $7 in
  Notify) note rings "\${answer#u }" "\${12}" "\${13}" ;;
  CloseNotification) note withdraws "$9" '' '' ;;
esac
echo "$answer"
`;
}

function standing(notes: readonly PopUpNote[]): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const { action, id } of notes) {
    if (action === 'rings') ids.add(id);
    else ids.delete(id);
  }
  return ids;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function parse(text: string): readonly PopUpNote[] {
  const titles = new Map<string, string>();
  // What follows the last RS is a note that is being written.
  return text
    .split('\u001e')
    .slice(0, -1)
    .map((line): PopUpNote => {
      const [action, id = '', title = '', body = ''] = line.split('\u001f');
      if (action !== 'rings') {
        return { action: 'withdraws', id, title: titles.get(id) ?? '', body: '' };
      }
      titles.set(id, title);
      return { action, id, title, body };
    });
}
