import type { ListenAddress } from '../config/config.ts';
import { errorCode } from '../core/error-code.ts';
import type { Log } from '../core/log.ts';
import { addressText } from '../local-http/loopback-address.ts';
import type { LoopbackServer } from '../local-http/loopback-server.ts';
import type { Warnings } from './warnings.ts';

/** Something the daemon answers on this machine over TCP, where the configuration wants it. */
export interface EndpointHolder {
  /** Takes another address, or none. Never rejects. */
  reconfigure(listen: ListenAddress | null): Promise<void>;
  /** Where it answers; null while it does not. */
  origin(): string | null;
  stop(): Promise<void>;
}

/** @param open loads what is needed and listens; what is off is not loaded */
export function createEndpointHolder({
  title,
  open,
  warnings,
  log,
}: {
  /** For people, such as "The metrics". */
  readonly title: string;
  readonly open: (listen: ListenAddress) => Promise<LoopbackServer>;
  readonly warnings: Pick<Warnings, 'raise' | 'clear'>;
  readonly log: Log;
}): EndpointHolder {
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
      server = await open(listen);
      log.info({ title, origin: server.origin }, 'Listens on this machine');
    } catch (error) {
      const reason =
        errorCode(error) === 'EADDRINUSE' ? 'another program has that port' : 'see the log';
      log.error({ title, err: error }, 'Cannot listen on this machine');
      warnings.raise(title, `${title} cannot be served on ${addressText(listen)}: ${reason}`);
    }
  }

  function reconfigure(listen: ListenAddress | null): Promise<void> {
    changing = changing.then(() => change(listen));
    return changing;
  }

  return { reconfigure, origin: () => server?.origin ?? null, stop: () => reconfigure(null) };
}
