import { lstatSync, type Stats } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';

/** The address of a user's session bus. */
export type BusAddress =
  | {
      readonly ok: true;
      /** For `net.connect`; an abstract one begins with NUL. */
      readonly socket: string;
      /** As DBUS_SESSION_BUS_ADDRESS spells it. */
      readonly address: string;
    }
  /** `reason` is for people. */
  | { readonly ok: false; readonly reason: string };

const VARIABLE = 'DBUS_SESSION_BUS_ADDRESS';

/**
 * The session bus that an environment names, or the user's default bus.
 *
 * The environment of a session may come from a repository, and `unixexec:` runs a program, `tcp:` and `autolaunch:`
 * lead to another user's bus. So only a socket is accepted that is ours and lies in a directory of ours or of root, or
 * an abstract one, which has no owner: everything else is refused, and not passed to any program either.
 *
 * @param uid for tests: who we are
 */
export function busAddress(
  env: Readonly<Record<string, string | undefined>>,
  uid = process.geteuid?.() ?? -1,
): BusAddress {
  const named = env[VARIABLE];
  if (named === undefined || named === '') return userBus(env['XDG_RUNTIME_DIR'], uid);
  const sockets: string[] = [];
  for (const each of named.split(';').filter(Boolean)) {
    const socket = socketIn(each);
    // The value is not quoted: it may hold anything.
    if (typeof socket !== 'string') return { ok: false, reason: `${VARIABLE} ${socket.reason}` };
    sockets.push(socket);
  }
  const troubles = sockets.map((socket) => troubleWith(socket, uid));
  const socket = sockets[troubles.indexOf(null)];
  if (socket !== undefined) return usable(socket);
  const reason = `no desktop session (${VARIABLE} names ${troubles[0] ?? 'nothing'})`;
  return { ok: false, reason };
}

/** The user's bus by systemd's convention: a service, cron or an ssh login finds it there without configuration. */
function userBus(runtimeDirectory: string | undefined, uid: number): BusAddress {
  const socket = join(runtimeDirectory || `/run/user/${uid}`, 'bus');
  const trouble = troubleWith(socket, uid);
  return trouble === null
    ? usable(socket)
    : { ok: false, reason: `no desktop session (${VARIABLE} is not set, and found ${trouble})` };
}

/** One address, as the specification of D-Bus spells it: `unix:path=/run/user/1000/bus,guid=…`. */
function socketIn(address: string): string | { readonly reason: string } {
  const [, list = ''] = /^unix:(.*)$/s.exec(address) ?? [];
  const [pair = '', ...more] = list.split(',').filter((one) => one.split('=', 1)[0] !== 'guid');
  const [, key, value = ''] = /^(path|abstract)(?:=(.*))?$/s.exec(pair) ?? [];
  if (key === undefined || more.length > 0) {
    return { reason: 'is neither "unix:path=" nor "unix:abstract="' };
  }
  const text = unescaped(value) ?? '';
  if (text === '' || text.includes('\0') || (key === 'path' && !isAbsolute(text))) {
    return { reason: 'does not name an absolute path' };
  }
  return key === 'path' ? text : `\0${text}`;
}

function unescaped(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** Null: it can be used. */
function troubleWith(socket: string, uid: number): string | null {
  if (socket.startsWith('\0')) return null;
  const file = statusOf(socket);
  const directory = statusOf(dirname(socket));
  if (file === null || directory === null) return `nothing at "${socket}"`;
  if (!file.isSocket()) return `no socket at "${socket}"`;
  if (file.uid !== uid) return `a socket of user ${file.uid} at "${socket}", not of user ${uid}`;
  if (directory.isDirectory() && (directory.uid === uid || directory.uid === 0)) return null;
  return `a socket in a directory of user ${directory.uid} at "${socket}"`;
}

/** A link is not followed: its owner could redirect it later. */
function statusOf(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    return null;
  }
}

function usable(socket: string): BusAddress {
  const isAbstract = socket.startsWith('\0');
  const text = isAbstract ? socket.slice(1) : socket;
  // Any other character has to be escaped in an address.
  const escaped = text.replace(/[^\w/.*-]/gu, (sign) =>
    [...Buffer.from(sign)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  );
  return { ok: true, socket, address: `unix:${isAbstract ? 'abstract' : 'path'}=${escaped}` };
}
