import { join } from 'node:path';

import { apiAccount } from '../config/api-account.ts';
import type { Config } from '../config/config.ts';
import type { SecretReference } from '../core/channel.ts';
import type { Log } from '../core/log.ts';
import type { Paths } from '../core/paths.ts';
import type { RaiseOptions } from './raise-event.ts';
import { createRaise } from './raise-event.ts';
import { fileMemory } from './source-memory.ts';
import type { Warnings } from './warnings.ts';

export interface SourcesOptions extends RaiseOptions {
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
  stop(): Promise<void>;
}

const EVERY_MS = 60_000;

interface Job {
  run(): Promise<void>;
}

/** Runs the jobs of the configuration in force, once a minute; what they need is loaded with the first of them. */
export function createSources(options: SourcesOptions): Sources {
  let timer: NodeJS.Timeout | undefined;
  let jobs: Promise<readonly Job[]> | null = null;
  let running: Promise<void> = Promise.resolve();

  async function runAll(): Promise<void> {
    if (options.config().budget === null) return;
    jobs ??= createJobs(options);
    for (const job of await jobs) await job.run();
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
      jobs = null;
      run();
    },
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}

async function createJobs(options: SourcesOptions): Promise<readonly Job[]> {
  const { paths, readSecret, warnings } = options;
  const raise = createRaise(options);
  const config = options.config();
  const [{ createClient }, { createBudgetSource }, { createDailyJob }] = await Promise.all([
    import('../api/index.ts'),
    import('../sources/budget.ts'),
    import('../sources/daily-job.ts'),
  ]);
  const { analytics } = createClient({ ...apiAccount(config, readSecret), now: options.now });
  const directory = join(paths.state, 'sources');
  const { budget } = config;
  const jobs: Job[] = [];
  if (budget !== null) {
    jobs.push(
      createDailyJob({
        ...options,
        random: Math.random,
        name: 'budget',
        schedule: budget.schedule,
        memory: fileMemory(directory, 'budget-day'),
        work: createBudgetSource({
          policy: budget,
          tokens: async (days) =>
            (await analytics.tokens(days, { stepBack: true, lane: 'background' })).data,
          raise,
          memory: fileMemory(directory, 'budget'),
        }),
        onTrouble: troubleOf('The budget', warnings),
      }),
    );
  }
  return jobs;
}

function troubleOf(
  what: string,
  warnings: SourcesOptions['warnings'],
): (reason: string | null) => void {
  const key = `source ${what}`;
  return (reason) => {
    if (reason === null) warnings.clear(key);
    else warnings.raise(key, `${what} cannot be looked at, and is tried again later: ${reason}`);
  };
}
