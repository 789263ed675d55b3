import { defineChannel } from '../../core/channel.ts';
import { requireProxy } from '../../platform/outbound/outbound-port.ts';
import { DEFAULT_SERVER, ntfyOptions, readNtfyTarget } from './options.ts';

/**
 * Publishes to a topic of ntfy, whose apps show it on a phone. A newer message of a session replaces the older one, and
 * an answer elsewhere withdraws it; servers before 2.16 can do neither and get a silent message instead. Buttons
 * publish to a second topic that hookbell reads, so that nothing here has to be reachable from outside.
 */
export default defineChannel({
  type: 'ntfy',
  summary: 'Publishes to an ntfy topic, which the ntfy app shows on a phone',
  audience: 'person',
  reach: 'far',
  recipient: 'your phone (ntfy)',
  can: {
    replace: 'needs ntfy 2.16',
    withdraw: true,
    acknowledge: 'needs `answer_topic`',
    snooze: 'needs `answer_topic`',
    decide: 'needs `answer_topic` and a topic that others cannot read',
  },
  options: ntfyOptions,
  questions: {
    topic: {
      message:
        'ntfy: topic, hard to guess on a server without access control (kept in a file only you can read)',
    },
    server: {
      message: 'ntfy: address of the server',
      initial: DEFAULT_SERVER,
      when: () => true,
    },
  },
  guide: async (use) => {
    const { guideNtfy } = await import('./guide.ts');
    return guideNtfy(use);
  },
  // The server accepts a burst of 60 requests, then one every 5 s (https://docs.ntfy.sh/config/#rate-limiting).
  limits: { timeoutMs: 10_000, concurrency: 2, burst: 20, refillMs: 2_500, maxAttempts: 12 },
  create: async (options, dependencies) => {
    const target = await readNtfyTarget(options, dependencies);
    requireProxy(dependencies.outbound, target.server);
    const { createNtfyChannel } = await import('./ntfy-channel.ts');
    return createNtfyChannel(target, dependencies, () => readNtfyTarget(options, dependencies));
  },
});
