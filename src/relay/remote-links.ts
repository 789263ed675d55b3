import type { ListenView, RelayView } from '../control/contract-views.ts';
import type { MetricFamily } from '../core/metrics.ts';
import { createListening, type ListeningOptions } from './listening.ts';
import { createRelaying, type Relaying, type RelayingOptions } from './relaying.ts';

/** This daemon's connections with those of other machines: none unless configured. */
export interface Remote extends Omit<Relaying, 'start' | 'view'> {
  start(): Promise<void>;
  relay(): Promise<RelayView | null>;
  listen(): Promise<ListenView | null>;
  families(): readonly MetricFamily[];
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
