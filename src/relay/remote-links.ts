import { createListening, type ListeningOptions } from './listening.ts';
import { createRelaying, type RelayingOptions } from './relaying.ts';

/** This daemon's connections with those of other machines: none unless configured. */
export function createRemote(options: RelayingOptions & ListeningOptions) {
  const relaying = createRelaying(options);
  const listening = createListening(options);
  return {
    ...relaying,
    relay: () => relaying.view(),
    listen: () => listening.view(),
    families: () => listening.families(),
    async start() {
      relaying.start();
      await listening.start();
    },
    async reconfigure() {
      await relaying.reconfigure();
      await listening.reconfigure();
    },
    async stop() {
      await Promise.all([relaying.stop(), listening.stop()]);
    },
  };
}
