import { chmod, rm } from 'node:fs/promises';
import type { Server } from 'node:http';

import { startListening } from '../local-http/listen.ts';
import { socketAddress } from './socket-address.ts';

/**
 * Lets a server listen on a unix socket that only this user may use; its directory is the caller's business. A socket that
 * a killed daemon left there is removed: the lock says that nobody serves it.
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
