import type { SessionPollPolicy } from '../../config/poller-schema.ts';
import type { PollerMemory } from '../../core/source-event.ts';
import {
  type Session,
  type SessionListItem,
  ApiConnectionError,
  AuthError,
  CircuitOpenError,
  type Client,
  NotFoundError,
  RateLimitError,
} from '../client/index.ts';
import { createPoller, type CreatePoller, type PollOnce } from './poller.ts';
import {
  follow,
  hasMoved,
  isWorking,
  type SeenSession,
  sessionsMemorySchema,
  createSessionNotifier,
  type SessionNotifierOptions,
} from './session-events.ts';

export interface SessionsPollerOptions extends SessionNotifierOptions {
  readonly policy: SessionPollPolicy;
  readonly reader: SessionReader;
  readonly memory: PollerMemory;
}

export const sessionsJob: CreatePoller<SessionPollPolicy> = (policy, parts) =>
  createPoller({
    ...parts,
    pollInterval: policy.pollInterval,
    look: createSessionsPoll({
      ...parts,
      policy,
      reader: sessionReader(parts.api, policy, parts.signal),
      memory: parts.memory('sessions'),
    }),
  });

/** Maximum number of sessions fetched in one poll: the rest follow in the next. */
const MOST_QUESTIONS = 20;
/** How long after a notification to check whether a session runs again. */
const NOTIFIED_MS = 24 * 3_600_000;

type Known = ReadonlyMap<string, SeenSession>;
type Listed = ReadonlyMap<string, SessionListItem>;
type Answers = ReadonlyMap<string, SessionAnswer>;

/**
 * Raises "remote.idle", "remote.completed" and "remote.failed" when a session stops working, "remote.running" and "remote.gone"
 * when that is over, and "session.pending" for one that hangs. The very first poll raises no events, and neither do turns that
 * a hook reported.
 */
export function createSessionsPoll(options: SessionsPollerOptions): PollOnce {
  const { policy, reader, memory, now } = options;
  const notifier = createSessionNotifier(options);
  /** When each session was last fetched, so that all get their turn. */
  const askedAt = new Map<string, number>();
  let lookedAt: number | null = null;

  return async () => {
    const at = now();
    const stored = sessionsMemorySchema.safeParse(await memory.read()).data ?? null;
    const knownSessions: Known = new Map(Object.entries(stored?.sessions ?? {}));
    const { items, isWhole } = await reader.list();
    const listed: Listed = new Map<string, SessionListItem>(
      items.map((item) => [item.sessionId, item]),
    );
    const answers = await askAbout(questions(knownSessions, listed));

    const sighting = { now: at, lastLookAt: lookedAt ?? stored?.at ?? at };
    const found = new Map<string, SeenSession>();
    for (const id of new Set([...knownSessions.keys(), ...listed.keys()])) {
      const before = knownSessions.get(id) ?? null;
      const session = whatIsKnown(answers.get(id), listed.get(id), before);
      if (session === 'gone') {
        if (before !== null) await notifier.forget(id, before);
        continue;
      }
      if (session === null && before === null) continue;
      if (session === null && !listed.has(id) && isWhole && !isCared(before)) continue;
      const isNewborn = stored !== null && (session?.createdAt ?? 0) > stored.newest;
      const seen = session === null ? before : follow(before, session, { ...sighting, isNewborn });
      if (seen !== null) found.set(id, await notifier.notify(id, before, seen));
    }
    for (const id of askedAt.keys()) if (!found.has(id)) askedAt.delete(id);
    lookedAt = at;
    const newest = Math.max(stored?.newest ?? 0, ...items.map(({ createdAt }) => createdAt));
    const sessions = Object.fromEntries(bounded(found));
    const isNews = JSON.stringify(sessions) !== JSON.stringify(stored?.sessions);
    if (isNews || newest !== stored?.newest) await memory.write({ at, newest, sessions });
    refuseNothing(answers);
    return isNews || Object.values(sessions).some(isBusy) ? 'moving' : 'still';
  };

  /** The sessions to fetch, longest waiting first: a list need not have their status. */
  function questions(knownSessions: Known, listed: Listed): readonly string[] {
    const unlisted = [...knownSessions].filter(([id, seen]) => !listed.has(id) && isCared(seen));
    const unclear = [...listed.values()].filter((item) =>
      needsQuestion(knownSessions.get(item.sessionId) ?? null, item),
    );
    return [...unlisted.map(([id]) => id), ...unclear.map(({ sessionId }) => sessionId)]
      .toSorted((one, other) => (askedAt.get(one) ?? 0) - (askedAt.get(other) ?? 0))
      .slice(0, MOST_QUESTIONS);
  }

  async function askAbout(ids: readonly string[]): Promise<Answers> {
    const answers = new Map<string, SessionAnswer>();
    for (const id of ids) {
      answers.set(id, await reader.get(id));
      askedAt.set(id, now());
    }
    return answers;
  }

  /** May still change, wherever it is in the list. */
  function isCared(seen: SeenSession | null): boolean {
    if (seen === null) return false;
    return isBusy(seen) || (seen.told !== null && now() - seen.since < NOTIFIED_MS);
  }

  /** Drops the oldest inactive sessions to bound the memory. */
  function bounded(found: Known): readonly (readonly [string, SeenSession])[] {
    return [...found]
      .toSorted(
        ([, one], [, other]) =>
          Number(isCared(other)) - Number(isCared(one)) || other.updatedAt - one.updatedAt,
      )
      .slice(0, 2 * policy.most);
  }
}

function isBusy(seen: SeenSession): boolean {
  return isWorking(seen) || seen.owed !== null;
}

/** The list is enough for a session that did not change, and for a new completed one. */
function needsQuestion(before: SeenSession | null, item: SessionListItem): boolean {
  if ((item.status ?? null) !== null) return false;
  if (before === null) return (item.completedAt ?? null) === null;
  return isWorking(before) || hasMoved(before, item);
}

/** The latest state of a session; null if unchanged or unknown. */
function whatIsKnown(
  answer: SessionAnswer | undefined,
  item: SessionListItem | undefined,
  before: SeenSession | null,
): Session | SessionListItem | 'gone' | null {
  if (answer?.type === 'gone') return 'gone';
  if (answer !== undefined) return answer.type === 'found' ? answer.session : null;
  if (item === undefined || needsQuestion(before, item)) return null;
  return before === null || hasMoved(before, item) || (item.status ?? null) !== null ? item : null;
}

/** An unreadable session does not stop the others; if all are unreadable, the poll fails. */
function refuseNothing(answers: Answers): void {
  const all = [...answers.values()];
  const [first] = all;
  if (first?.type === 'unreadable' && all.every(({ type }) => type === 'unreadable')) {
    throw first.error;
  }
}

export interface SessionReader {
  /** `isWhole`: the list is complete, without unreadable sessions. */
  readonly list: () => Promise<{
    readonly items: readonly SessionListItem[];
    readonly isWhole: boolean;
  }>;
  readonly get: (sessionId: string) => Promise<SessionAnswer>;
}

export type SessionAnswer =
  | { readonly type: 'found'; readonly session: Session }
  | { readonly type: 'gone' }
  /** This one cannot be read; others may be readable. */
  | { readonly type: 'unreadable'; readonly error: unknown };

const PAGE = 100;

export function sessionReader(
  { sessions }: Pick<Client, 'sessions'>,
  { most, tags, computers }: Pick<SessionPollPolicy, 'most' | 'tags' | 'computers'>,
  signal: AbortSignal,
): SessionReader {
  const call = { priority: 'background', signal } as const;

  function isWanted({ sessionSettings, computerId }: SessionListItem): boolean {
    if ((sessionSettings?.archivedAt ?? null) !== null) return false;
    const names = (sessionSettings?.tags ?? []).map(({ name }) => name ?? '');
    return (
      (tags === null || names.some((name) => tags.includes(name))) &&
      (computers === null || computers.includes(computerId ?? ''))
    );
  }

  return {
    async list() {
      const items: SessionListItem[] = [];
      let read = 0;
      let isReadable = true;
      for await (const page of sessions.list({ limit: Math.min(most, PAGE) }, call).pages()) {
        read += page.items.length + page.badItems.length;
        isReadable &&= page.badItems.length === 0;
        items.push(...page.items.filter(isWanted));
        if (read >= most && page.next !== null) return { items, isWhole: false };
      }
      return { items, isWhole: isReadable };
    },
    async get(sessionId) {
      try {
        const session = await sessions.get({ sessionId }, { ...call, maxRetries: 0 });
        return { type: 'found', session };
      } catch (error) {
        if (error instanceof NotFoundError) return { type: 'gone' };
        if (isAboutAll(error)) throw error;
        return { type: 'unreadable', error };
      }
    },
  };
}

/** Whether every other request would fail in the same way. */
function isAboutAll(error: unknown): boolean {
  return [ApiConnectionError, AuthError, CircuitOpenError, RateLimitError].some(
    (kind) => error instanceof kind,
  );
}
