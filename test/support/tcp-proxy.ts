import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface TcpProxy extends AsyncDisposable {
  readonly port: number;
  /** Ends all connections, and refuses new ones. */
  cut(): void;
  mend(): void;
  /** Leads new connections to other ports, to one after the other. */
  leadTo(...ports: readonly number[]): void;
}

/** A way to a port of this machine that can be cut. */
export async function startTcpProxy(to: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let targets: readonly number[] = [to];
  let count = 0;
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) {
      near.destroy();
      return;
    }
    const far = connect(targets[count++ % targets.length] ?? to, '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far).pipe(near);
  });
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
    mend() {
      isCut = false;
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
