import { join } from 'node:path';

import { apiAccount } from '../config/api-account.ts';
import type { Config } from '../config/config.ts';
import type { SecretReference } from '../core/channel.ts';
import { UsageError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Paths } from '../core/paths.ts';
import type { Store } from '../core/store.ts';
import type { RaiseOptions } from './raise-event.ts';
import { createRaise } from './raise-event.ts';
import { fileMemory } from './source-memory.ts';
import type { Warnings } from './warnings.ts';

export interface SourcesOptions extends RaiseOptions {
  readonly store: Pick<Store, 'accept' | 'tally'>;
  readonly config: () => Config;
  readonly paths: Pick<Paths, 'state'>;
  readonly readSecret: (reference: SecretReference) => Promise<string>;
  readonly log: Log;
  readonly warnings: Pick<Warnings, 'raise' | 'clear'>;
}

/** What asks the vendor's service by itself; nothing does unless the configuration says so. */
export interface Sources {
  start(): void;
  /** Takes another configuration. */
  reconfigure(): void;
  /** Sends a digest at once; answers its title. Rejects as the client does. @throws UsageError when none is configured */
  sendDigest(): Promise<string>;
  stop(): Promise<void>;
}

const EVERY_MS = 60_000;

interface Jobs {
  readonly all: readonly { run(): Promise<void> }[];
  readonly sendDigest: (() => Promise<string>) | null;
}

/** Runs the jobs of the configuration in force, once a minute; what they need is loaded with the first of them. */
export function createSources(options: SourcesOptions): Sources {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let loaded: Promise<Jobs> | null = null;
  let running: Promise<void> = Promise.resolve();

  function jobs(): Promise<Jobs> | null {
    const { budget, digest } = options.config();
    if (budget === null && digest === null) return null;
    loaded ??= createJobs(options, stopping.signal);
    return loaded;
  }

  async function runAll(): Promise<void> {
    const { all } = (await jobs()) ?? { all: [] };
    for (const job of all) await job.run();
  }

  function run(): void {
    running = running.then(runAll).catch((error: unknown) => {
      options.log.error({ err: error }, 'Cannot run what asks the service');
    });
  }

  return {
    start() {
      timer = setInterval(run, EVERY_MS);
      timer.unref();
      run();
    },
    reconfigure() {
      loaded = null;
      run();
    },
    async sendDigest() {
      const { sendDigest } = (await jobs()) ?? { sendDigest: null };
      if (sendDigest !== null) return sendDigest();
      throw new UsageError('No digest is configured', {
        hint: 'Add to the configuration, for example: digest: { notify: mail }',
      });
    },
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await running;
    },
  };
}

async function createJobs(options: SourcesOptions, signal: AbortSignal): Promise<Jobs> {
  const { paths, readSecret, warnings, store, now } = options;
  const raise = createRaise(options);
  const { budget, digest, ...config } = options.config();
  const [{ createClient }, { createBudgetSource }, { createDigestSource }, { createDailyJob }] =
    await Promise.all([
      import('../api/index.ts'),
      import('../sources/budget.ts'),
      import('../sources/digest.ts'),
      import('../sources/daily-job.ts'),
    ]);
  const { analytics } = createClient({ ...apiAccount(config, readSecret), now });
  const memory = (name: string) => fileMemory(join(paths.state, 'sources'), name);
  const digests =
    digest === null
      ? null
      : createDigestSource({
          policy: digest,
          rate: budget?.rate ?? null,
          analytics,
          tally: (range) => store.tally(range),
          raise,
          memory: memory('digest'),
          now,
          signal,
        });
  const daily = { ...options, random: Math.random };
  return {
    all: [
      ...(budget === null
        ? []
        : [
            createDailyJob({
              ...daily,
              name: 'budget',
              schedule: budget.schedule,
              memory: memory('budget-day'),
              work: createBudgetSource({
                policy: budget,
                tokens: async (days) =>
                  (await analytics.tokens(days, { stepBack: true, lane: 'background', signal }))
                    .data,
                raise,
                memory: memory('budget'),
              }),
              onTrouble: troubleOf('The budget', warnings),
            }),
          ]),
      ...(digest === null || digests === null
        ? []
        : [
            createDailyJob({
              ...daily,
              name: 'digest',
              schedule: digest.schedule,
              memory: memory('digest-day'),
              work: digests.work,
              onTrouble: troubleOf('The digest', warnings),
            }),
          ]),
    ],
    sendDigest: digests?.send ?? null,
  };
}

function troubleOf(
  what: string,
  warnings: SourcesOptions['warnings'],
): (reason: string | null) => void {
  const key = `source ${what}`;
  return (reason) => {
    if (reason === null) warnings.clear(key);
    else warnings.raise(key, `${what} cannot be made, and is tried again later: ${reason}`);
  };
}
