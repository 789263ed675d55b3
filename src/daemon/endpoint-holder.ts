import { readFile } from 'node:fs/promises';

import { z } from 'zod';

import type { ListenAddress } from '../config/config.ts';
import type { EndpointView } from '../core/control.ts';
import { errorCode } from '../core/error-code.ts';
import type { Log } from '../core/log.ts';
import { addressText } from '../local-http/loopback-address.ts';
import type { LoopbackServer } from '../local-http/loopback-server.ts';
import { writeAtomically } from '../setup/settings-file.ts';
import type { Warnings } from './warnings.ts';

/** Something the daemon answers on this machine over TCP, where the configuration wants it. */
export interface EndpointHolder {
  /** Takes another address, or none. Never rejects. */
  reconfigure(listen: ListenAddress | null): Promise<void>;
  /** Where it answers; null while it does not. */
  origin(): string | null;
  /** One entry where the configuration wants it, else none. */
  view(): readonly EndpointView[];
  stop(): Promise<void>;
}

export interface EndpointHolderOptions {
  /** The section of the configuration. */
  readonly name: EndpointView['name'];
  /** For people, such as "The metrics". */
  readonly title: string;
  /**
   * No one chose this port, and another user of the machine may have it: then a free one is taken, written to `ports`, and
   * tried first from then on, since links and scrapers name it.
   */
  readonly defaultPort: number;
  /** The file that keeps such ports, of all endpoints. */
  readonly ports: string;
  /** Loads what is needed and listens; what is off is not loaded. */
  readonly open: (listen: ListenAddress) => Promise<LoopbackServer>;
  readonly warnings: Pick<Warnings, 'raise' | 'clear'>;
  readonly log: Log;
}

export function createEndpointHolder({
  name,
  title,
  defaultPort,
  ports,
  open,
  warnings,
  log,
}: EndpointHolderOptions): EndpointHolder {
  let configured: ListenAddress | null = null;
  let server: LoopbackServer | null = null;
  let changing: Promise<void> = Promise.resolve();

  async function change(listen: ListenAddress | null): Promise<void> {
    const isSame = JSON.stringify(listen) === JSON.stringify(configured);
    // One that could not listen tries again with every configuration.
    if (isSame && (listen === null || server !== null)) return;
    configured = listen;
    await server?.close();
    server = null;
    warnings.clear(title);
    if (listen === null) return;
    try {
      server = await (listen.port === defaultPort ? openSomewhere(listen) : open(listen));
      log.info({ title, origin: server.origin }, 'Listens on this machine');
    } catch (error) {
      const reason =
        errorCode(error) === 'EADDRINUSE'
          ? `another program has port ${listen.port}, set "${name}.listen" to an address with a free one`
          : 'see the log';
      log.error({ title, err: error }, 'Cannot listen on this machine');
      warnings.raise(title, `${title} cannot be served on ${addressText(listen)}: ${reason}`);
    }
  }

  async function openSomewhere(listen: ListenAddress): Promise<LoopbackServer> {
    const kept = await readPorts(ports);
    const wanted = [kept[name], defaultPort].filter((port) => port !== undefined);
    for (const port of wanted) {
      try {
        return await open({ ...listen, port });
      } catch (error) {
        if (errorCode(error) !== 'EADDRINUSE') throw error;
      }
    }
    const opened = await open({ ...listen, port: 0 });
    const port = Number(new URL(opened.origin).port);
    try {
      await writeAtomically(ports, `${JSON.stringify({ ...kept, [name]: port })}\n`);
    } catch (error) {
      log.warn({ title, err: error }, 'Cannot keep the port: the next start may take another one');
    }
    return opened;
  }

  function reconfigure(listen: ListenAddress | null): Promise<void> {
    changing = changing.then(() => change(listen));
    return changing;
  }

  const origin = (): string | null => server?.origin ?? null;
  return {
    reconfigure,
    origin,
    view: () => (configured === null ? [] : [{ name, origin: origin() }]),
    stop: () => reconfigure(null),
  };
}

const portsSchema = z.record(z.string(), z.int().min(1).max(65_535)).catch({});

/** Empty where nothing was kept, or nothing that can be read. */
async function readPorts(path: string): Promise<Readonly<Record<string, number>>> {
  try {
    return portsSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return {};
  }
}
