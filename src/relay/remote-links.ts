import type { ListenView, RelayView } from '../control/contract-views.ts';
import type { MetricFamily } from '../core/metrics.ts';
import { createListening, type ListeningOptions } from './listening.ts';
import { createRelaying, type Relaying, type RelayingOptions } from './relaying.ts';

/** This daemon's connections with those of other machines: none unless configured. */
export interface Remote {
  start(): Promise<void>;
  /** Takes a new configuration. */
  reconfigure(): Promise<void>;
  /** Events may wait to be relayed. */
  wake(): void;
  /** A request is held here, answered, or no longer held. */
  questionsChanged(): void;
  relay(): Promise<RelayView | null>;
  listen(): Promise<ListenView | null>;
  /** Asks the hub that this machine belongs to. Null if it relays to none. */
  readonly askHub: Relaying['askHub'];
  /** Checks whether the other machine responds. Null if relaying is not configured. */
  check(): Promise<{ readonly ok: boolean; readonly summary: string } | null>;
  families(): readonly MetricFamily[];
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
    questionsChanged: () => relaying.questionsChanged(),
    askHub: (path, body) => relaying.askHub(path, body),
    relay: () => relaying.view(),
    listen: () => listening.view(),
    check: () => relaying.check(),
    families: () => listening.families(),
    async stop() {
      await Promise.all([relaying.stop(), listening.stop()]);
    },
  };
}
