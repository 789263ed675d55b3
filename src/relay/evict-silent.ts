import type { Server } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import type { Socket } from 'node:net';

/** So many may be open without having asked anything. */
const MAX_SILENT = 16;

/** Connections that ask nothing must not keep out those that do: the oldest of too many goes. */
export function evictSilent(server: Server | SecureServer): void {
  const silent = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
    const [oldest] = silent;
    if (silent.size > MAX_SILENT) oldest?.destroy();
  });
  server.on('request', ({ socket }: { readonly socket: Socket }) => silent.delete(socket));
}
