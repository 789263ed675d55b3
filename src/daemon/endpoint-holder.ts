import { z } from 'zod';

import type { ListenAddress } from '../config/endpoint-schema.ts';
import type { EndpointView } from '../control/contract-views.ts';
import type { Warnings } from '../delivery/warnings.ts';
import { errorCode } from '../platform/errors.ts';
import { readJsonFile } from '../platform/json.ts';
import type { Log } from '../platform/log.ts';
import { addressText } from '../platform/loopback-address.ts';
import type { LoopbackServer } from '../platform/http/http-server.ts';
import { writeAtomically } from '../platform/replace-file.ts';

/** What every endpoint needs. */
export interface EndpointBase {
  /** The file that keeps the ports of endpoints whose default port was taken. */
  readonly ports: string;
  readonly warnings: Pick<Warnings, 'raise' | 'clear'>;
  readonly log: Log;
}

interface EndpointHolderOptions<Listen extends ListenAddress> extends EndpointBase {
  /** The section of the configuration. */
  readonly name: EndpointView['name'];
  /** For people, such as "The metrics". */
  readonly title: string;
  /**
   * This port is the default, and another user of the machine may have it: then a free port is chosen, written to
   * `ports`, and tried first from then on, since links and scrapers name it.
   */
  readonly defaultPort: number;
  /** Loads the modules and listens; modules of an unconfigured endpoint are not loaded. */
  readonly open: (listen: Listen) => Promise<LoopbackServer>;
  /** Called with its origin, and with null when it is no longer served. */
  readonly onOrigin?: (origin: string | null) => void;
}

/** A TCP endpoint of the daemon on this machine, not listening yet. */
export function createEndpointHolder<Listen extends ListenAddress>(
  options: EndpointHolderOptions<Listen>,
) {
  const { name, title, defaultPort, ports, open, onOrigin = () => {}, warnings, log } = options;
  let configured: Listen | null = null;
  let server: LoopbackServer | null = null;
  let changing: Promise<void> = Promise.resolve();

  async function change(listen: Listen | null): Promise<void> {
    const isSame = JSON.stringify(listen) === JSON.stringify(configured);
    // An endpoint that could not listen tries again with every configuration.
    if (isSame && (listen === null || server !== null)) return;
    configured = listen;
    onOrigin(null);
    await server?.close();
    server = null;
    warnings.clear(title);
    if (listen === null) return;
    try {
      server = await (listen.port === defaultPort ? openSomewhere(listen) : open(listen));
      onOrigin(server.origin);
      log.info({ title, origin: server.origin }, 'Listening on this machine');
    } catch (error) {
      const reason =
        errorCode(error) === 'EADDRINUSE'
          ? `another program has port ${listen.port}, set "${name}.listen" to an address with a free one`
          : 'see "hookbell logs"';
      log.error({ title, err: error }, 'Cannot listen on this machine');
      warnings.raise(title, `${title} cannot be served on ${addressText(listen)}: ${reason}`);
    }
  }

  async function openSomewhere(listen: Listen): Promise<LoopbackServer> {
    const stored = Ports.parse(await readJsonFile(ports));
    const wanted = [stored[name], defaultPort].filter((port) => port !== undefined);
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
      await writeAtomically(ports, `${JSON.stringify({ ...stored, [name]: port })}\n`);
    } catch (error) {
      log.warn({ title, err: error }, 'Cannot save the port: the next start may use another one');
    }
    return opened;
  }

  /** Takes a new address, or none. Never rejects. */
  function reconfigure(listen: Listen | null): Promise<void> {
    changing = changing.then(() => change(listen));
    return changing;
  }

  return {
    reconfigure,
    /** One entry if configured, else none. */
    view: (): readonly EndpointView[] =>
      configured === null ? [] : [{ name, origin: server?.origin ?? null }],
    stop: () => reconfigure(null),
  };
}

/** Empty if no port was saved, or the file cannot be read. */
const Ports = z.record(z.string(), z.int().min(1).max(65_535)).catch({});
