import type { Server } from 'node:http';
import { dirname, join } from 'node:path';

import type { Config } from '../config/config.ts';
import type { ListenConfig } from '../config/endpoint-schema.ts';
import type { SecretReference } from '../core/channel.ts';
import type { MetricFamily } from '../core/metrics.ts';
import { errorCode, HookbellError } from '../platform/errors.ts';
import type { FarFiles } from '../core/far-files.ts';
import type { Paths } from '../core/paths.ts';
import type { ListenView } from '../control/contract-views.ts';
import { isoTime } from '../platform/time.ts';
import { startListening, stopListening } from '../platform/http/http-server.ts';
import { createCertificateWatch } from './certificate-watch.ts';
import type { Entrance, RelayRoutes } from './entrance.ts';
import type { EventRoutesOptions } from './event-routes.ts';
import type { ServerTls } from './relay-server.ts';
import type { TakeOptions } from './take-batch.ts';
import { listenOnSocket } from '../platform/http/unix-socket.ts';
import { resolvePath } from '../platform/find-program.ts';
import { readPem } from './relaying.ts';
import type { Warnings } from '../delivery/warnings.ts';

export interface ListeningOptions extends TakeOptions {
  readonly files: FarFiles;
  readonly config: () => Config;
  readonly paths: Pick<Paths, 'config' | 'state' | 'runtime' | 'machines'>;
  readonly readSecret: (reference: SecretReference) => Promise<string>;
  readonly warnings: Pick<Warnings, 'raise' | 'clear'>;
  /** The entrance of a hub; null: machines are paired, and only send events. */
  readonly hub: {
    readonly entrance: (events: RelayRoutes) => Entrance;
    readonly people: { readonly ownerOf: NonNullable<TakeOptions['ownerOf']> };
    /** The policy for its machines. */
    readonly directory: { policy(): { readonly version: number } | null };
  } | null;
}

const WARNING = 'listen';

interface Running {
  readonly addresses: readonly string[];
  close(): Promise<void>;
}

/** Accepts events that paired machines relay, if configured. */
export function createListening(options: ListeningOptions) {
  const { config, paths, warnings, log, now } = options;
  /** The last request of each machine, Unix ms. */
  const lastSeen = new Map<string, number>();
  let servers: Running[] = [];
  let problem: string | null = null;
  /** Identifies the listening configuration; changes with it. */
  let current = 'null';
  /** Reads the certificate and the key again; null if not configured. */
  let renew: (() => Promise<void>) | null = null;
  const certificate = createCertificateWatch(options);

  async function start(): Promise<void> {
    const { listen } = config();
    current = JSON.stringify(listen);
    if (listen === null) return;
    problem = null;
    try {
      await open(listen);
      warnings.clear(WARNING);
      log.info(
        { addresses: servers.flatMap(({ addresses }) => addresses) },
        'Listening for other machines',
      );
    } catch (error) {
      await stop();
      problem = reasonOf(error);
      log.error({ err: error }, 'Cannot listen for other machines');
      warnings.raise(WARNING, `Cannot accept relayed events: ${problem}`);
    }
  }

  async function open({ socket, tcp, tls }: ListenConfig): Promise<void> {
    const [{ createRelayServer, renewTls }, { createBodyRoom }] = await Promise.all([
      import('./relay-server.ts'),
      import('./body-room.ts'),
    ]);
    const receiver = {
      entrance: await entrance(),
      bodies: createBodyRoom(),
      onContact: (machine: string) => void lastSeen.set(machine, now()),
      now,
      log,
    };
    const isHub = options.hub !== null;
    const baseDir = dirname(paths.config);
    const path = socket === null ? relaySocket(paths) : resolvePath(socket, { baseDir });
    const local = createRelayServer(receiver, { tls: null, isHub });
    servers.push(running(local, [path], await listenOnSocket(local, path)));
    if (tcp === null) return;
    const readTls = async (): Promise<ServerTls | null> =>
      tls === null
        ? null
        : {
            cert: await readPem(resolvePath(tls.certificate, { baseDir }), options.files),
            key: await options.readSecret({ file: resolvePath(tls.key, { baseDir }) }),
          };
    const pem = await readTls();
    certificate.use(pem?.cert ?? null);
    const remote = createRelayServer(receiver, { tls: pem, isHub });
    renew = async () => {
      const next = await readTls();
      if (next === null) return;
      renewTls(remote, next);
      certificate.use(next.cert);
    };
    await startListening(remote, { host: tcp.host, port: tcp.port });
    const scheme = pem === null ? 'http' : 'https';
    const host = tcp.host.includes(':') ? `[${tcp.host}]` : tcp.host;
    servers.push(running(remote, [`${scheme}://${host}:${tcp.port}`], () => {}));
  }

  async function entrance(): Promise<Entrance> {
    const [{ takeBatch }, { eventRoutes, pairedEntrance }, { readMachines }] = await Promise.all([
      import('./take-batch.ts'),
      import('./event-routes.ts'),
      import('./machines.ts'),
    ]);
    const { hub } = options;
    const owners = hub === null ? {} : { ownerOf: hub.people.ownerOf };
    const events: EventRoutesOptions = {
      take: (machine, sent) => takeBatch(machine, sent, { ...options, ...owners }),
      isHub: hub !== null,
      policy: () => hub?.directory.policy()?.version,
      log,
    };
    if (hub !== null) return hub.entrance(eventRoutes(events));
    return pairedEntrance({ ...events, machines: () => readMachines(paths.machines), now });
  }

  async function renewCertificate(): Promise<void> {
    try {
      await renew?.();
      warnings.clear(WARNING);
    } catch (error) {
      // One of the two files may be written later than the other.
      log.error({ err: error }, 'Cannot use the new certificate; the previous one stays in use');
      warnings.raise(
        WARNING,
        `Cannot use the new certificate, other machines still get the previous one: ${reasonOf(error)}`,
      );
    }
  }

  async function stop(): Promise<void> {
    const stopped = servers;
    servers = [];
    renew = null;
    certificate.use(null);
    await Promise.all(stopped.map((server) => server.close()));
  }

  return {
    start,
    /** Takes a new configuration, and rereads the certificate and key. */
    async reconfigure() {
      if (JSON.stringify(config().listen) === current && problem === null) {
        return renewCertificate();
      }
      await stop();
      warnings.clear(WARNING);
      problem = null;
      await start();
    },
    /** Null if not configured. */
    async view(): Promise<ListenView | null> {
      if (config().listen === null) return null;
      const { readMachines } = await import('./machines.ts');
      const machines = await readMachines(paths.machines).catch((error: unknown) => {
        problem = reasonOf(error);
        return [];
      });
      return {
        addresses: servers.flatMap(({ addresses }) => addresses),
        problem,
        machines: machines.map(({ name, pairedAt }) => {
          const lastSeenAt = lastSeen.get(name);
          return {
            name,
            pairedAt: isoTime(pairedAt),
            lastSeenAt: lastSeenAt === undefined ? null : isoTime(lastSeenAt),
          };
        }),
      };
    },
    families: (): readonly MetricFamily[] => certificate.families(),
    stop,
  };
}

/** The target of other machines' forwarded sockets. */
function relaySocket({ runtime, state }: Pick<Paths, 'runtime' | 'state'>): string {
  if (process.platform !== 'win32') return join(runtime, 'relay.sock');
  return `\\\\.\\pipe\\hookbell-relay-${state
    .toLowerCase()
    .replace(/[\\/:]+/g, '-')
    .slice(-200)}`;
}

function running(server: Server, addresses: readonly string[], release: () => void): Running {
  return {
    addresses,
    async close() {
      await stopListening(server);
      release();
    },
  };
}

function reasonOf(error: unknown): string {
  if (error instanceof HookbellError) return error.message;
  const code = errorCode(error);
  if (code === 'EADDRINUSE') return 'another program uses the port';
  if (code === 'EACCES') return 'no permission to use the port or the socket';
  if (code?.startsWith('ERR_OSSL') || code?.startsWith('ERR_SSL')) {
    return `"certificate" and "key" cannot be used (${code})`;
  }
  return code ?? 'see "hookbell logs"';
}
