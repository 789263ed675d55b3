import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface TcpProxy extends AsyncDisposable {
  readonly port: number;
  /** Ends all connections, and refuses new ones. */
  cut(): void;
  /** Passes nothing on, as a host that is gone: connections stay, and new ones get no answer. */
  stall(): void;
  /** Ends what `cut` and `stall` did. Connections that were stalled stay so. */
  mend(): void;
  /** Leads new connections to other ports, to one after the other. */
  leadTo(...ports: readonly number[]): void;
}

/**
 * A way to a port of this machine that can be cut.
 *
 * @param delayMs for which it keeps what goes in either direction
 */
export async function startTcpProxy(to: number, delayMs = 0): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let targets: readonly number[] = [to];
  let count = 0;
  let isCut = false;
  let isStalled = false;
  const server = createServer((near) => {
    if (isCut) {
      near.destroy();
      return;
    }
    sockets.add(near);
    near.on('error', () => {});
    near.on('close', () => sockets.delete(near));
    if (isStalled) {
      near.pause();
      return;
    }
    const far = connect(targets[count++ % targets.length] ?? to, '127.0.0.1');
    sockets.add(far);
    far.on('error', () => {});
    far.on('close', () => sockets.delete(far));
    pass(near, far);
    pass(far, near);
  });
  function pass(from: Socket, into: Socket): void {
    if (delayMs === 0) from.pipe(into);
    else from.on('data', (chunk) => void setTimeout(() => into.write(chunk), delayMs));
    from.on('close', () => {
      // The end of a connection does not get past a stall either.
      if (!isStalled) into.destroy();
    });
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  function cut(): void {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  }
  return {
    port: typeof address === 'object' ? (address?.port ?? 0) : 0,
    cut,
    stall() {
      isStalled = true;
      for (const socket of sockets) {
        socket.unpipe();
        socket.pause();
      }
    },
    mend() {
      isCut = false;
      isStalled = false;
    },
    leadTo(...ports) {
      targets = ports;
    },
    async [Symbol.asyncDispose]() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
