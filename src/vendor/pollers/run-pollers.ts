import { hashedId } from '../../platform/crypto.ts';
import { join } from 'node:path';
import type { ReadWaiting } from '../../core/waiting.ts';
import type { Config } from '../../config/config.ts';
import { HookbellError, UsageError } from '../../platform/errors.ts';
import type { HookRecord } from '../../core/hook-event.ts';
import type { Log } from '../../platform/log.ts';
import type { Paths } from '../../core/paths.ts';
import { createRedactor } from '../../text/redact.ts';
import { sessionEventRecord, type PollerMemory, sourceRecord } from '../../core/source-event.ts';
import type { EventSink, Store } from '../../core/store.ts';
import { createRounds, type Rounds } from '../../platform/rounds.ts';
import { type Clock, idleTimer } from '../../platform/time.ts';
import type { PollerJob, PollerParts } from './poller.ts';
import type { ApiClient } from '../api-client.ts';
import { type PollerEntry, pollerList } from './poller-list.ts';
import type { Warnings } from '../../delivery/warnings.ts';
import { readFile } from 'node:fs/promises';
import { parseJson } from '../../platform/json.ts';
import { ensurePrivateDirectory } from '../../platform/private-directory.ts';
import { replaceFile } from '../../platform/replace-file.ts';

/** Maximum timer: after a suspension or a clock change, a job is called again within this time. */
const LONGEST_MS = 60_000;
const SHORTEST_MS = 250;

/** How soon a process takes over after another one, ms. */
const TAKE_OVER_MS = 1_000;

/** Calls a job immediately and then whenever it is due, until stopped; not while another process does. */
function startPollerLoop(
  job: PollerJob,
  { name, now, log, isOwner }: PollersOptions & { readonly name: string },
): Pick<Rounds, 'stop'> {
  const rounds = createRounds({
    async round() {
      if (isOwner()) await job.run();
      return isOwner() ? Math.max(SHORTEST_MS, job.nextAt() - now()) : TAKE_OVER_MS;
    },
    onTrouble: (err) => log.error({ source: name, err }, 'A poller stopped'),
    longestMs: LONGEST_MS,
    random: Math.random,
    startTimer: idleTimer,
  });
  rounds.start();
  return rounds;
}

export interface PollersOptions extends EventSink {
  readonly store: Pick<Store, 'events' | 'history'>;
  readonly now: Clock;
  readonly config: () => Config;
  readonly paths: Pick<Paths, 'state'>;
  readonly api: ApiClient;
  readonly waiting: ReadWaiting;
  readonly log: Log;
  /** Whether this process polls, or another one with the same store. */
  readonly isOwner: () => boolean;
  /** What pollers have seen, shared by these processes; null: in files of this one. */
  readonly pollerMemory: ((name: string) => PollerMemory) | null;
  readonly warnings: Pick<Warnings, 'raise' | 'clear'>;
}

interface Running {
  readonly jobs: ReadonlyMap<string, PollerJob>;
  readonly stop: () => Promise<void>;
}

const nothing: Running = { jobs: new Map(), stop: () => Promise.resolve() };

/** Key of the warning that none of them runs. */
const ALL_POLLERS = 'sources';

/** Runs the configured pollers; their modules are loaded with the first of them. */
export function createPollers(options: PollersOptions) {
  const { config, log, warnings } = options;
  let stopping = new AbortController();
  let running: Promise<Running> = Promise.resolve(nothing);

  async function begin(signal: AbortSignal): Promise<Running> {
    const current = config();
    const wanted = pollerList.filter((entry) => entry.isOn(current));
    for (const entry of pollerList) {
      if (!wanted.includes(entry)) warnings.clear(warningKey(entry));
    }
    if (wanted.length === 0) warnings.clear(ALL_POLLERS);
    if (wanted.length === 0 || signal.aborted) return nothing;
    try {
      const jobs = await createJobs(wanted, current, { ...options, signal });
      warnings.clear(ALL_POLLERS);
      const loops = [...jobs].map(([name, job]) => startPollerLoop(job, { ...options, name }));
      return { jobs, stop: async () => void (await Promise.all(loops.map((loop) => loop.stop()))) };
    } catch (error) {
      log.error({ err: error }, 'Cannot start the pollers');
      const names = wanted.map(({ name }) => name).join(', ');
      warnings.raise(ALL_POLLERS, `Cannot start the pollers (${names}): ${whyNot(error)}`);
      return nothing;
    }
  }

  /** Stops the running jobs before the next ones start. */
  function change(next: (signal: AbortSignal) => Promise<Running>): void {
    stopping.abort();
    stopping = new AbortController();
    running = follow(running, next, stopping.signal);
  }

  return {
    start: (): void => change(begin),
    /** Applies another configuration. */
    reconfigure: (): void => change(begin),
    /** Returns the title. Rejects as the client does. @throws UsageError when no digest is configured */
    async sendDigest(): Promise<string> {
      const { jobs } = await running;
      const title = await jobs.get('digest')?.sendNow?.();
      if (title !== undefined) return title;
      throw new UsageError('No digest is configured', {
        hint: 'Add to the configuration, for example: digest: { notify: mail }',
      });
    },
    async stop(): Promise<void> {
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
  entries: readonly PollerEntry[],
  config: Config,
  options: PollersOptions & { readonly signal: AbortSignal },
): Promise<ReadonlyMap<string, PollerJob>> {
  const { paths, api, warnings, store, now, log, signal, pollerMemory } = options;
  const parts: Omit<PollerParts, 'name' | 'onTrouble'> = {
    api: await api.get(),
    ...createRaise(options),
    lastHook: (sessionId) => store.history.lastHook(sessionId),
    memory: pollerMemory ?? ((name) => fileMemory(join(paths.state, 'sources'), name)),
    usage: (range) => store.history.usage(range),
    waiting: options.waiting,
    redactor: createRedactor(config.redact),
    random: Math.random,
    now,
    log,
    signal,
  };
  const jobs = new Map<string, PollerJob>();
  for (const entry of entries) {
    const { name, title } = entry;
    const onTrouble = (reason: string | null): void => {
      if (reason === null) warnings.clear(warningKey(entry));
      else warnings.raise(warningKey(entry), `${title} failed and will be retried: ${reason}`);
    };
    const job = await entry.create(config, { ...parts, name, onTrouble });
    if (job !== null) jobs.set(name, job);
  }
  return jobs;
}

/** A reason for people, with the hint if any. */
function whyNot(error: unknown): string {
  if (!(error instanceof Error)) return 'Unknown error';
  const hint = error instanceof HookbellError ? error.hint : null;
  return hint === null ? error.message : `${error.message}. ${hint}`;
}

function warningKey({ name }: PollerEntry): string {
  return `source ${name}`;
}

/** Entry points for events without a hook, handled like all events from here on. */
function createRaise(options: PollersOptions): Pick<PollerParts, 'raise' | 'raiseSessionEvent'> {
  const { store, decide, prepare, now, onCommitted } = options;
  async function accept(record: HookRecord): Promise<void> {
    const [accepted] = await store.events.accept([prepare(record)], decide);
    if (accepted === 'committed') onCommitted();
  }
  return {
    raise: (event) => accept(sourceRecord({ ...event, id: hashedId(event.id) }, now())),
    raiseSessionEvent: (found) =>
      accept(sessionEventRecord({ ...found, id: hashedId(found.id) }, now())),
  };
}

/** Stores the state of a poller in `NAME.json`, in a directory private to this user. */
export function fileMemory(directory: string, name: string): PollerMemory {
  const path = join(directory, `${name}.json`);
  return {
    // Missing or edited by hand: the poller starts over.
    read: async () => parseJson(await readFile(path, 'utf8').catch(() => '')),
    async write(value) {
      await ensurePrivateDirectory(directory);
      replaceFile(path, `${JSON.stringify(value)}\n`, { mode: 0o600 });
    },
  };
}
