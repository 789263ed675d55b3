import { join } from 'node:path';

import type { Config } from '../config/config.ts';
import { HookbellError, UsageError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Paths } from '../core/paths.ts';
import { createRedactor } from '../core/redact.ts';
import type { Store } from '../core/store.ts';
import type { SourceJob, SourceParts } from '../sources/source.ts';
import type { ApiClient } from './api-client.ts';
import type { RaiseOptions } from './raise-event.ts';
import { createRaise } from './raise-event.ts';
import type { SourceEntry } from './source-list.ts';
import { sourceList } from './source-list.ts';
import { startSourceLoop } from './source-loop.ts';
import { fileMemory } from './source-memory.ts';
import type { Warnings } from './warnings.ts';

export interface SourcesOptions extends RaiseOptions {
  readonly store: Pick<Store, 'accept' | 'lastHook' | 'tally'>;
  readonly config: () => Config;
  readonly paths: Pick<Paths, 'state'>;
  readonly api: ApiClient;
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

/** The sources of one configuration. */
interface Running {
  readonly jobs: ReadonlyMap<string, SourceJob>;
  readonly stop: () => Promise<void>;
}

const nothing: Running = { jobs: new Map(), stop: () => Promise.resolve() };

/** Of the warning that none of them runs. */
const ALL_SOURCES = 'sources';

/** Runs the sources the configuration in force wants; what they need is loaded with the first of them. */
export function createSources(options: SourcesOptions): Sources {
  const { config, log, warnings } = options;
  let stopping = new AbortController();
  let running: Promise<Running> = Promise.resolve(nothing);

  async function begin(signal: AbortSignal): Promise<Running> {
    const current = config();
    const wanted = sourceList.filter((entry) => entry.isOn(current));
    for (const entry of sourceList) {
      if (!wanted.includes(entry)) warnings.clear(warningKey(entry));
    }
    if (wanted.length === 0) warnings.clear(ALL_SOURCES);
    if (wanted.length === 0 || signal.aborted) return nothing;
    try {
      const jobs = await createJobs(wanted, current, { ...options, signal });
      warnings.clear(ALL_SOURCES);
      const loops = [...jobs].map(([name, job]) => startSourceLoop(job, { ...options, name }));
      return { jobs, stop: async () => void (await Promise.all(loops.map((loop) => loop.stop()))) };
    } catch (error) {
      log.error({ err: error }, 'Cannot run what asks the service');
      const names = wanted.map(({ name }) => name).join(', ');
      warnings.raise(
        ALL_SOURCES,
        `What asks the service by itself cannot run (${names}): ${whyNot(error)}`,
      );
      return nothing;
    }
  }

  /** Ends what runs; only then the next begins. */
  function change(next: (signal: AbortSignal) => Promise<Running>): void {
    stopping.abort();
    stopping = new AbortController();
    running = follow(running, next, stopping.signal);
  }

  return {
    start: () => change(begin),
    reconfigure: () => change(begin),
    async sendDigest() {
      const { jobs } = await running;
      const title = await jobs.get('digest')?.sendNow?.();
      if (title !== undefined) return title;
      throw new UsageError('No digest is configured', {
        hint: 'Add to the configuration, for example: digest: { notify: mail }',
      });
    },
    async stop() {
      change(() => Promise.resolve(nothing));
      await running;
    },
  };
}

async function follow(
  former: Promise<Running>,
  begin: (signal: AbortSignal) => Promise<Running>,
  signal: AbortSignal,
): Promise<Running> {
  const { stop } = await former;
  await stop();
  return begin(signal);
}

async function createJobs(
  entries: readonly SourceEntry[],
  config: Config,
  options: SourcesOptions & { readonly signal: AbortSignal },
): Promise<ReadonlyMap<string, SourceJob>> {
  const { paths, api, warnings, store, now, log, signal } = options;
  const parts: Omit<SourceParts, 'name' | 'onTrouble'> = {
    api: await api.get(),
    ...createRaise(options),
    lastHook: (sessionId) => store.lastHook(sessionId),
    memory: (name) => fileMemory(join(paths.state, 'sources'), name),
    tally: (range) => store.tally(range),
    redactor: createRedactor(config.redact),
    random: Math.random,
    now,
    log,
    signal,
  };
  const jobs = new Map<string, SourceJob>();
  for (const entry of entries) {
    const { name } = entry;
    const onTrouble = troubleOf(entry, warnings);
    const job = await entry.create(config, { ...parts, name, onTrouble });
    if (job !== null) jobs.set(name, job);
  }
  return jobs;
}

function troubleOf(
  entry: SourceEntry,
  warnings: SourcesOptions['warnings'],
): SourceParts['onTrouble'] {
  const key = warningKey(entry);
  return (reason) => {
    if (reason === null) warnings.clear(key);
    else warnings.raise(key, `${entry.title} has to wait, and is tried again later: ${reason}`);
  };
}

/** A reason for people, with what to do about it. */
function whyNot(error: unknown): string {
  if (!(error instanceof Error)) return 'It failed without a reason';
  const hint = error instanceof HookbellError ? error.hint : null;
  return hint === null ? error.message : `${error.message}. ${hint}`;
}

function warningKey({ name }: SourceEntry): string {
  return `source ${name}`;
}
