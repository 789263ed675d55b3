import { closeSync, constants, openSync } from 'node:fs';
import { chmod, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { basename, dirname } from 'node:path';

import { ConfigError } from '../errors.ts';
import { startListening } from './http-server.ts';

/** The kernel's name for a unix socket, valid until `close` is called. */
export interface SocketAddress {
  readonly path: string;
  close(): void;
}

/** `sun_path` of unix(7) without its NUL; 104 bytes on macOS and the BSDs. */
const LONGEST = process.platform === 'linux' ? 107 : 103;

/**
 * Names a socket whose path may be longer than the kernel allows. Node silently truncates a longer one, so that the
 * socket would lie under another name in another directory, perhaps one open to others. Linux reaches it through the
 * descriptor of its directory instead.
 *
 * @throws ConfigError where there is no such way
 * @throws NodeJS.ErrnoException when the directory of a long path cannot be opened
 */
export function socketAddress(socket: string): SocketAddress {
  const bytes = Buffer.byteLength(socket);
  // Pipes of Windows have names and no directories.
  if (bytes <= LONGEST || process.platform === 'win32') return { path: socket, close: () => {} };
  if (process.platform !== 'linux') {
    throw new ConfigError(
      `Cannot use the socket "${socket}": its path has ${bytes} bytes, the system allows ${LONGEST}`,
      { hint: 'Set HOOKBELL_STATE_DIR to a directory with a shorter path' },
    );
  }
  const directory = openSync(dirname(socket), constants.O_RDONLY | constants.O_DIRECTORY);
  return {
    path: `/proc/self/fd/${directory}/${basename(socket)}`,
    close: () => closeSync(directory),
  };
}

/**
 * Makes a server listen on a unix socket that only this user may use; the caller checks its directory. A socket that a
 * killed daemon left is removed: the lock proves that it is unused.
 *
 * @returns what is to be called when the server is closed, and not before: Node removes the socket by its address
 */
export async function listenOnSocket(server: Server, socket: string): Promise<() => void> {
  if (process.platform !== 'win32') await rm(socket, { force: true });
  const address = socketAddress(socket);
  // The socket exists from the moment of bind, before any chmod: the mask makes it private from the start.
  const before = process.umask(0o177);
  try {
    await startListening(server, { path: address.path });
  } catch (error) {
    address.close();
    throw error;
  } finally {
    process.umask(before);
  }
  if (process.platform !== 'win32') await chmod(socket, 0o600);
  return () => address.close();
}
