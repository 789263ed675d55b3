import { readFile, readdir, readlink, stat } from 'node:fs/promises';

import { type FileSystemView, fileSystem, whyNotOurs } from './ownership.ts';

/** A program about to be run, by its name. */
export interface NamedCall {
  readonly program: string;
  readonly arguments: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The option or variable that gives a terminal or desktop program its socket. */
const socketOf: Readonly<Record<string, (call: NamedCall) => string | undefined>> = {
  tmux: ({ arguments: words }) => wordAfter('-S', words),
  swaymsg: ({ arguments: words }) => wordAfter('--socket', words),
  kitten: ({ arguments: words }) => wordAfter('--to', words),
  kitty: ({ arguments: words }) => wordAfter('--to', words),
  wezterm: ({ env }) => env?.['WEZTERM_UNIX_SOCKET'],
};

/**
 * Why a program must not be run with its socket, or null. The socket comes from the header of an event, which an
 * agent's environment fills in, and the server behind it controls the client: that of tmux can have it run programs. So
 * the socket has to be ours, in a directory of ours; kitty's may also lie in /tmp, as its manual suggests, or be
 * abstract if only our processes listen on it.
 */
export async function whyForeignSocket(
  call: NamedCall,
  view: FileSystemView = fileSystem(),
): Promise<string | null> {
  const socket = socketOf[call.program]?.(call);
  if (socket === undefined || view.uid === undefined) return null;
  const isKitty = socket.startsWith('unix:');
  const path = isKitty ? socket.slice('unix:'.length) : socket;
  if (path.startsWith('@')) return whyForeignAbstract(path, view.uid);
  return whyNotOurs(path, 'socket', view, { allowSticky: isKitty });
}

/** Node has no peer credentials, but only our own processes show their open sockets. Linux only. */
async function whyForeignAbstract(name: string, uid: number): Promise<string | null> {
  try {
    const inodes = (await readFile('/proc/net/unix', 'utf8'))
      .split('\n')
      .map((line) => line.trim().split(/ +/))
      // Some programs pad the name with NULs, which appear there as "@".
      .filter((fields) => fields[7]?.replace(/@+$/, '') === name)
      .map((fields) => `socket:[${fields[6]}]`);
    // Without a listener the program fails anyway.
    if (inodes.length === 0) return null;
    const processes = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry));
    const held = await Promise.all(processes.map((pid) => linksOf(`/proc/${pid}`, uid)));
    const ours = new Set(held.flat());
    return inodes.every((inode) => ours.has(inode)) ? null : `"${name}" belongs to another user`;
  } catch {
    return `the owner of "${name}" cannot be seen`;
  }
}

/** The descriptors of one of our processes, such as "socket:[123]". */
async function linksOf(process: string, uid: number): Promise<readonly string[]> {
  try {
    if ((await stat(process)).uid !== uid) return [];
    const numbers = await readdir(`${process}/fd`);
    // A descriptor may be closed meanwhile.
    return await Promise.all(
      numbers.map((number) => readlink(`${process}/fd/${number}`).catch(() => '')),
    );
  } catch {
    return [];
  }
}

function wordAfter(option: string, words: readonly string[]): string | undefined {
  const at = words.indexOf(option);
  return at === -1 ? undefined : words[at + 1];
}
