import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Config } from '../../config/config.ts';
import { HookbellError, UsageError } from '../../platform/errors.ts';
import type { HookRecord } from '../../core/hook-event.ts';
import type { Log } from '../../platform/log.ts';
import type { Paths } from '../../core/paths.ts';
import { createRedactor } from '../../text/redact.ts';
import {
  type RaiseEvent,
  type RaiseSessionEvent,
  sessionEventRecord,
  type SourceMemory,
  sourceRecord,
} from '../../core/source-event.ts';
import type { Decide, Store } from '../../core/store.ts';
import type { Clock } from '../../platform/time.ts';
import { replaceFile } from '../../platform/replace-file.ts';
import type { SourceJob, SourceParts } from './source.ts';
import type { ApiClient } from '../api-client.ts';
import { ensurePrivateDirectory } from '../../platform/private-directory.ts';
import { type SourceEntry, sourceList } from './poller-list.ts';
import type { Warnings } from '../../delivery/warnings.ts';

/** However long a job wants to wait: after a suspension, or a clock that was set, it is asked again this soon. */
const LONGEST_MS = 60_000;
const SHORTEST_MS = 250;

/** Calls a job whenever it asks for it, at once for the first time, until it is stopped. */
function startSourceLoop(
  job: SourceJob,
  { name, now, log }: { readonly name: string; readonly now: () => number; readonly log: Log },
): { readonly stop: () => Promise<void> } {
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let turn: Promise<void> = takeTurn();

  async function takeTurn(): Promise<void> {
    try {
      await job.run();
    } catch (error) {
      log.error({ source: name, err: error }, 'A source cannot go on');
    }
    if (isStopped) return;
    const waitMs = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, job.nextAt() - now()));
    timer = setTimeout(() => {
      turn = takeTurn();
    }, waitMs);
    timer.unref();
  }

  return {
    /** Settles when a run that is under way has ended. */
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await turn;
    },
  };
}

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

/** Keeps what a source remembers in `NAME.json` in a directory of this user alone. */
function fileMemory(directory: string, name: string): SourceMemory {
  const path = join(directory, `${name}.json`);
  return {
    async read() {
      const text = await readFile(path, 'utf8').catch(() => '');
      try {
        return JSON.parse(text);
      } catch {
        // It was never written, or by a hand: the source begins anew.
        return null;
      }
    },
    async write(value) {
      await ensurePrivateDirectory(directory);
      replaceFile(path, `${JSON.stringify(value)}\n`, { mode: 0o600 });
    },
  };
}

interface RaiseOptions {
  readonly store: Pick<Store, 'accept'>;
  /** The decisions hooks' events pass. */
  readonly decide: Decide;
  /** Takes secrets out where the history has none. */
  readonly prepare: (record: HookRecord) => HookRecord;
  readonly now: Clock;
  readonly onCommitted: () => void;
}

interface RaiseDoors {
  readonly raise: RaiseEvent;
  /** For what is found out about a session. */
  readonly raiseNews: RaiseSessionEvent;
}

/** The doors for events that no hook brings: from here on they go the way of all events. */
function createRaise({ store, decide, prepare, now, onCommitted }: RaiseOptions): RaiseDoors {
  async function accept(record: HookRecord): Promise<void> {
    const [accepted] = await store.accept([prepare(record)], decide);
    if (accepted === 'committed') onCommitted();
  }
  return {
    raise: (event) => accept(sourceRecord({ ...event, id: hashed(event.id) }, now())),
    raiseNews: (news) => accept(sessionEventRecord({ ...news, id: hashed(news.id) }, now())),
  };
}

/** Ids are compared by their beginnings, which those of sources have in common. */
function hashed(id: string): string {
  const hex = createHash('sha256').update(id).digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20, 32),
  ].join('-');
}
