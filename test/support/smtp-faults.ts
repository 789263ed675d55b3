import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { deferred } from './deferred.ts';

/** What goes wrong in a phase: a reply code, silence, or the connection is cut. */
export type SmtpFault = number | 'hang' | 'drop';

/** Phases: connect, auth, mail, data (after the final dot), and each recipient under its address. */
export type SmtpFaults = Readonly<Record<string, SmtpFault>>;

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: Buffer;
}

export interface FaultyServer extends AsyncDisposable {
  readonly port: number;
  /** Takes all messages that came in whole since the last call, whether they were accepted or not. */
  takeMails(): readonly ReceivedMail[];
  /** From now on these go wrong. */
  setFaults(faults: SmtpFaults): void;
  /** Settles when a phase hangs. */
  hung(): Promise<unknown>;
  /** Number of connections opened so far. */
  connections(): number;
  /** Cuts all connections that are open now. */
  dropConnections(): void;
  /** Logins so far, as "user:password". */
  logins(): readonly string[];
}

export interface FaultyServerOptions {
  readonly faults?: SmtpFaults;
  /** TLS with the self-signed certificate of smtp-server, from the start or by STARTTLS. Default: none. */
  readonly tls?: 'none' | 'from the start' | 'starttls';
  /** Text of injected replies, made from the password of the login. */
  readonly complaint?: (password: string) => string;
}

/** A real SMTP server on loopback that fails in the chosen phases (fault 37). */
export async function startFaultySmtp({
  faults: firstFaults = {},
  tls = 'none',
  complaint = () => 'injected',
}: FaultyServerOptions = {}): Promise<FaultyServer> {
  let faults = firstFaults;
  let connections = 0;
  let mails: ReceivedMail[] = [];
  const logins: string[] = [];
  const sockets = new Set<Socket>();
  const hung = deferred();

  function act(phase: string, done: (error?: Error) => void): void {
    const fault = faults[phase];
    if (fault === undefined) return done();
    if (fault === 'hang') return hung.resolve();
    if (fault === 'drop') return dropConnections();
    const text = complaint(logins.at(-1)?.split(':')[1] ?? '');
    done(Object.assign(new Error(text), { responseCode: fault }));
  }
  function dropConnections(): void {
    for (const socket of sockets) socket.destroy();
  }

  const server = new SMTPServer({
    secure: tls === 'from the start',
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: tls === 'starttls' ? [] : ['STARTTLS'],
    onConnect: (_session, done) => {
      connections += 1;
      act('connect', done);
    },
    onAuth: ({ username = '', password = '' }, _session, done) => {
      logins.push(`${username}:${password}`);
      act('auth', (error) => (error ? done(error) : done(null, { user: username })));
    },
    onMailFrom: (_address, _session, done) => act('mail', done),
    onRcptTo: ({ address }, _session, done) => act(address, done),
    onData: (stream, { envelope }, done) => {
      const receive = async (): Promise<void> => {
        const raw = await buffer(stream);
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        mails.push({ from, to: envelope.rcptTo.map(({ address }) => address), raw });
        act('data', done);
      };
      // A daemon that is killed may leave in the middle of a message.
      receive().catch(() => {});
    },
  });
  server.on('error', () => {});
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    port: portOf(server.server),
    takeMails: () => {
      const taken = mails;
      mails = [];
      return taken;
    },
    setFaults: (next) => {
      faults = next;
    },
    hung: () => hung.promise,
    connections: () => connections,
    dropConnections,
    logins: () => logins,
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise<void>((resolve) => server.close(resolve));
      dropConnections();
      await closed;
    },
  };
}

export interface DrippingServer extends AsyncDisposable {
  readonly port: number;
  /** Settles when the first drops are out. */
  dripping(): Promise<unknown>;
  /** Settles when the client has closed its connection. */
  left(): Promise<unknown>;
}

/**
 * A server that never finishes a reply and never falls silent (P21): a continuation line every few ms.
 *
 * @param after what it answers, line by line, before it begins to drip
 */
export async function startDrippingSmtp(after: readonly string[] = []): Promise<DrippingServer> {
  const dripping = deferred();
  const left = deferred();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    const replies = [...after];
    let timer: NodeJS.Timeout | undefined;
    const next = (): void => {
      const reply = replies.shift();
      if (reply !== undefined) {
        socket.write(`${reply}\r\n`);
      } else {
        timer ??= setInterval(() => {
          socket.write('250-still here\r\n');
          dripping.resolve();
        }, 5);
      }
    };
    socket.on('data', next);
    socket.on('error', () => {});
    socket.once('close', () => {
      clearInterval(timer);
      left.resolve();
    });
    next();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: portOf(server),
    dripping: () => dripping.promise,
    left: () => left.promise,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

/** A server whose answer to the first command has no end, as fast as the client takes it. */
export async function startFloodingSmtp(): Promise<
  AsyncDisposable & { readonly port: number; readonly flooded: () => number }
> {
  const line = Buffer.from(`250-${'x'.repeat(1_000)}\r\n`.repeat(64));
  const sockets = new Set<Socket>();
  let flooded = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    const pour = (): void => {
      while (!socket.destroyed && socket.write(line)) flooded += line.length;
    };
    socket.on('error', () => {});
    socket.on('drain', pour);
    socket.once('data', pour);
    socket.write('220 x.test\r\n');
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: portOf(server),
    flooded: () => flooded,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

function portOf(server: Pick<Server, 'address'>): number {
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return address.port;
}
