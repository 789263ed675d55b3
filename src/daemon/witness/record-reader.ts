import { lstat, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import type { SeenDetails, Witness } from '../../agents/support/seen-events.ts';
import { linesFromEnd, type TranscriptLine } from '../../agents/support/transcript-lines.ts';
import { FIRST_QUESTION, seenFact, type RecordedSession } from '../../core/agent/witness.ts';
import type { HookFacts } from '../../core/facts.ts';
import { type AgentName, sessionKeyOf } from '../../core/hook-event.ts';
import type { Clock } from '../../platform/time.ts';
import type { AgentProcessesHere } from './agent-process.ts';

/** Between two searches for directories that a variable has moved, ms. */
const SEARCH_MS = 55_000;
const MOST_DIRECTORIES = 16;
const MOST_RECORDS = 200;
const MOST_FOLDERS = 2_000;
/** An agent writes its first file as soon as it has started, ms. */
const LEFT_MS = 2_000;

/** A running session, and since when its agent says the same. */
export interface SightedSession {
  readonly session: RecordedSession;
  /** The directory of the agent's settings. */
  readonly base: string;
  /** The surroundings of its process. */
  readonly facts: HookFacts;
  /** When this statement was seen first, on a clock that no one sets. */
  readonly firstAt: number;
  /** True once a hook or we have reported it. */
  readonly isSettled: boolean;
  /** The statement before, if it was replaced before anything came of it. */
  readonly before: Pick<SightedSession, 'session' | 'firstAt'> | null;
}

/** The end of a file, as text; null if it cannot be read or is not this user's. @param bytes absent: 256 KB */
export type ReadTail = (path: string, bytes?: number) => Promise<string | null>;

export interface RecordReaderOptions {
  readonly agent: AgentName;
  readonly witness: Witness;
  /** The directory of the agent's settings, and the variable that moves it. */
  readonly directory: string;
  readonly movedBy: string;
  readonly processes: AgentProcessesHere;
  readonly readTail: ReadTail;
  readonly now: Clock;
  /** Time that no one sets, ms. */
  readonly monotonic: () => number;
}

/** Reads what an agent writes about its sessions: all of it each time, because watches drop names under load. */
export function createRecordReader(
  options: RecordReaderOptions,
  /** What was seen of a session at the last look. */
  last: (key: string) => SightedSession | undefined,
) {
  const { agent, witness, processes, readTail, now, monotonic } = options;
  /** Found paths, by their patterns. */
  const paths = new Map<string, string>();
  let stateFiles: readonly string[] = [];
  let bases: readonly string[] = [options.directory];
  let searchedAt = Number.NEGATIVE_INFINITY;

  async function recordsIn(base: string): Promise<readonly (readonly [string, RecordedSession])[]> {
    const folder = join(base, witness.folder);
    const all = await readdir(folder).catch(() => []);
    // Only what may be a record: other files there hold secrets of the agent.
    const names = all.filter((name) => witness.names.test(name));
    const before = await Promise.all(
      all.slice(0, MOST_RECORDS).map(async (name) => {
        const pid = witness.beginning(name);
        if (pid === null || names.includes(`${pid}.json`)) return [];
        const session = await beginning(pid, join(folder, name));
        return session === null ? [] : [[base, session] as const];
      }),
    );
    const read = await Promise.all(
      names.slice(0, MOST_RECORDS).map(async (name) => {
        const text = await readTail(join(folder, name));
        const found = text === null ? null : witness.read(name, text);
        const sessions = await Promise.all([found ?? []].flat().map((one) => withState(base, one)));
        return sessions.flatMap((one) => (one === null ? [] : [[base, one] as const]));
      }),
    );
    return [...before, ...read].flat();
  }

  /** Null: its states cannot be read now, and were not before. */
  async function withState(base: string, listed: RecordedSession): Promise<RecordedSession | null> {
    if (witness.states === undefined) return listed;
    const pattern = witness.states.pathOf(listed);
    const path = await locate(base, pattern);
    if (path === null) {
      // It is written with the first turn; until then, its folder is watched.
      await locate(base, dirname(pattern));
      return listed;
    }
    const tail = await readTail(path);
    const read = tail === null ? null : witness.states.read(listed, linesFromEnd(tail));
    return read ?? last(sessionKeyOf(agent, listed.sessionId, null))?.session ?? null;
  }

  /** The path below the directory; `*` stands for one folder. */
  async function locate(base: string, pattern: string): Promise<string | null> {
    const known = paths.get(join(base, pattern));
    if (known !== undefined) return known;
    const [above = '', below = ''] = pattern.split('*');
    const folders = await readdir(join(base, above)).catch(() => []);
    for (const folder of folders.slice(0, MOST_FOLDERS)) {
      const path = join(base, above, folder, below);
      if ((await stat(path).catch(() => null)) === null) continue;
      if (paths.size >= MOST_RECORDS) paths.clear();
      paths.set(join(base, pattern), path);
      return path;
    }
    return null;
  }

  /** A process at a terminal that has not begun its session: it asks something first. */
  async function beginning(pid: number, path: string): Promise<RecordedSession | null> {
    const process = await processes.atTerminal(pid);
    const file = process === null ? null : await lstat(path).catch(() => null);
    if (process === null || file === null || !file.isFile()) return null;
    const since = Math.round(file.mtimeMs);
    // A process that has ended left the file, and its number was used again.
    if (process.ageMs >= 0 && process.ageMs < now() - since - LEFT_MS) return null;
    const { start, cwd } = process;
    const said = { state: 'waiting', since, waitingFor: FIRST_QUESTION } as const;
    return { ...said, sessionId: `start-${pid}`, cwd, pid, start, version: null, surface: null };
  }

  async function seenNow(base: string, session: RecordedSession): Promise<SightedSession | null> {
    const before = last(sessionKeyOf(agent, session.sessionId, null));
    const isSame = before !== undefined && seenFact(before.session) === seenFact(session);
    if (isSame && before.session.pid === session.pid) return before;
    const facts = await processes.prove(session);
    if (facts === null) return null;
    if (isSame) return { ...before, session, base, facts };
    const firstAt = monotonic() - Math.max(0, now() - session.since);
    const unsettled = before?.isSettled === false ? before : null;
    return {
      session,
      base,
      facts,
      firstAt,
      isSettled: false,
      before: unsettled && { session: unsettled.session, firstAt: unsettled.firstAt },
    };
  }

  return {
    /** The folders of records, and files of states; searches for further ones once a minute. */
    async folders(): Promise<readonly string[]> {
      if (monotonic() - searchedAt >= SEARCH_MS) {
        searchedAt = monotonic();
        const moved = await processes.valuesOf(options.movedBy);
        bases = [...new Set([...bases, ...moved])].slice(0, MOST_DIRECTORIES);
      }
      return [...bases.map((base) => join(base, witness.folder)), ...stateFiles];
    },
    /** The sessions that run now, by their keys. */
    async read(): Promise<ReadonlyMap<string, SightedSession>> {
      const found = (await Promise.all(bases.map(recordsIn))).flat();
      const current = new Map<string, SightedSession>();
      // Of two processes with the same session, the one that has written last.
      for (const [base, session] of found.toSorted(([, a], [, b]) => a.since - b.since)) {
        const seen = await seenNow(base, session);
        if (seen !== null) current.set(sessionKeyOf(agent, session.sessionId, null), seen);
      }
      stateFiles = [...current.values()].flatMap(({ base, session }) => {
        const pattern = witness.states?.pathOf(session);
        if (pattern === undefined) return [];
        return paths.get(join(base, pattern)) ?? paths.get(join(base, dirname(pattern))) ?? [];
      });
      return current;
    },
    /** The path of a session's transcript; null: there is none. */
    transcriptOf: ({ session, base }: SightedSession): Promise<string | null> =>
      locate(base, witness.transcriptOf(session)),
  };
}

/** Usually enough: a quarter of a megabyte takes a millisecond to read. */
const SHORT_BYTES = 32_768;

/**
 * What the end of a transcript says about a session: null, nothing yet.
 *
 * @returns null without a transcript
 */
export async function readDetails(
  { details }: Pick<Witness, 'details'>,
  session: RecordedSession,
  read: (bytes?: number) => Promise<string | null>,
): Promise<{ readonly details: SeenDetails | null } | null> {
  const end = await read(SHORT_BYTES);
  if (end === null) return null;
  let isUsedUp = false;
  function* lines(): Generator<TranscriptLine> {
    yield* linesFromEnd(end ?? '');
    isUsedUp = true;
  }
  const found = details(session, lines());
  // What is before may belong to it.
  const tail = isUsedUp && end.length >= SHORT_BYTES / 4 ? await read() : null;
  return { details: tail === null ? found : details(session, linesFromEnd(tail)) };
}
