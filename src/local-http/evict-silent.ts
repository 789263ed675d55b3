import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import type { Socket } from 'node:net';

/** This many connections may be open that ask nothing. */
const MAX_SILENT = 16;

export interface EvictOptions {
  /**
   * `silent`: a connection that has not sent the whole body of its request counts as one that asks nothing. For servers whose
   * bodies are short; `busy` for those that take large ones over slow lines.
   */
  readonly unfinishedBodies: 'silent' | 'busy';
}

/**
 * Connections that ask nothing, not yet or not any more, must not keep out those that do: the oldest of too many is closed.
 */
export function evictSilent(
  server: Server | SecureServer,
  { unfinishedBodies }: EvictOptions,
): void {
  const silent = new Set<Socket>();
  const add = (socket: Socket): void => {
    if (socket.destroyed) return;
    silent.add(socket);
    const [oldest] = silent;
    if (silent.size > MAX_SILENT) oldest?.destroy();
  };
  server.on('connection', (socket: Socket) => {
    socket.once('close', () => silent.delete(socket));
    add(socket);
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const isBusy = unfinishedBodies === 'busy' || !hasBody(request);
    if (isBusy) silent.delete(socket);
    else request.once('end', () => silent.delete(socket));
    response.once('finish', () => add(socket));
  });
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
