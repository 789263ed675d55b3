import type { ListenView, RelayView } from '../control/contract-views.ts';
import { createListening, type ListeningOptions } from './listening.ts';
import { createRelaying, type RelayingOptions } from './relaying.ts';

/** What this daemon has to do with those of other machines: nothing, unless the configuration says so. */
export interface Remote {
  start(): Promise<void>;
  /** Takes another configuration. */
  reconfigure(): Promise<void>;
  /** Events may wait to be relayed. */
  wake(): void;
  relay(): Promise<RelayView | null>;
  listen(): Promise<ListenView | null>;
  /** Asks the other machine whether it is there. Null where nothing is relayed. */
  check(): Promise<{ readonly ok: boolean; readonly summary: string } | null>;
  stop(): Promise<void>;
}

export function createRemote(options: RelayingOptions & ListeningOptions): Remote {
  const relaying = createRelaying(options);
  const listening = createListening(options);
  return {
    async start() {
      relaying.start();
      await listening.start();
    },
    async reconfigure() {
      await relaying.reconfigure();
      await listening.reconfigure();
    },
    wake: () => relaying.wake(),
    relay: () => relaying.view(),
    listen: () => listening.view(),
    check: () => relaying.check(),
    async stop() {
      await Promise.all([relaying.stop(), listening.stop()]);
    },
  };
}
