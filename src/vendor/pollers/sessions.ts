import type { Session, SessionListItem } from '../client/index.ts';
import type { SourceMemory } from '../../core/source-event.ts';
import type { SessionPollPolicy } from '../../core/vendor-policy.ts';
import { createPoller, type Look } from './poller.ts';
import { type SessionAnswer, type SessionReader, sessionReader } from './read-sessions.ts';
import {
  follow,
  hasMoved,
  isWorking,
  type SeenSession,
  sessionsMemorySchema,
} from './session-events.ts';
import { createSessionTeller, type SessionTellerOptions } from './session-teller.ts';
import type { CreateSource } from './source.ts';

export interface SessionsSourceOptions extends SessionTellerOptions {
  readonly policy: SessionPollPolicy;
  readonly reader: SessionReader;
  readonly memory: SourceMemory;
}

/** Looks at the sessions of the service again and again. */
export const sessionsJob: CreateSource<SessionPollPolicy> = (policy, parts) =>
  createPoller({
    ...parts,
    pace: policy.pace,
    look: createSessionsSource({
      ...parts,
      policy,
      reader: sessionReader(parts.api, policy, parts.signal),
      memory: parts.memory('sessions'),
    }),
  });

/** More than these are not asked about in one look: the rest has its turn in the next. */
const MOST_QUESTIONS = 20;
/** Whether a session runs again is not looked for longer than this after it was told of. */
const TOLD_MS = 24 * 3_600_000;

type Known = ReadonlyMap<string, SeenSession>;
type Listed = ReadonlyMap<string, SessionListItem>;
type Answers = ReadonlyMap<string, SessionAnswer>;

/**
 * Raises "remote.idle", "remote.completed" and "remote.failed" when a session stops to work, "remote.running" and "remote.gone"
 * when that is over, and "session.pending" for one that hangs. What there is at the very first look is not told of, and
 * neither is a turn of which a hook told.
 */
export function createSessionsSource(options: SessionsSourceOptions): Look {
  const { policy, reader, memory, now } = options;
  const teller = createSessionTeller(options);
  /** When each session was asked about, so that all have their turn. */
  const askedAt = new Map<string, number>();
  let lookedAt: number | null = null;

  return async () => {
    const at = now();
    const kept = sessionsMemorySchema.safeParse(await memory.read()).data ?? null;
    const known: Known = new Map(Object.entries(kept?.sessions ?? {}));
    const { items, isWhole } = await reader.list();
    const listed: Listed = new Map<string, SessionListItem>(
      items.map((item) => [item.sessionId, item]),
    );
    const answers = await askAbout(questions(known, listed));

    const sighting = { now: at, lastLookAt: lookedAt ?? kept?.at ?? at };
    const found = new Map<string, SeenSession>();
    for (const id of new Set([...known.keys(), ...listed.keys()])) {
      const before = known.get(id) ?? null;
      const session = whatIsKnown(answers.get(id), listed.get(id), before);
      if (session === 'gone') {
        if (before !== null) await teller.forget(id, before);
        continue;
      }
      if (session === null && before === null) continue;
      if (session === null && !listed.has(id) && isWhole && !isCared(before)) continue;
      const isNewborn = kept !== null && (session?.createdAt ?? 0) > kept.newest;
      const seen = session === null ? before : follow(before, session, { ...sighting, isNewborn });
      if (seen !== null) found.set(id, await teller.tell(id, before, seen));
    }
    for (const id of askedAt.keys()) if (!found.has(id)) askedAt.delete(id);
    lookedAt = at;
    const newest = Math.max(kept?.newest ?? 0, ...items.map(({ createdAt }) => createdAt));
    const sessions = Object.fromEntries(bounded(found));
    const isNews = JSON.stringify(sessions) !== JSON.stringify(kept?.sessions);
    if (isNews || newest !== kept?.newest) await memory.write({ at, newest, sessions });
    refuseNothing(answers);
    return isNews || Object.values(sessions).some(isBusy) ? 'moving' : 'still';
  };

  /** Whom to ask about: a list need not say what a session does. Longest waiting first. */
  function questions(known: Known, listed: Listed): readonly string[] {
    const unlisted = [...known].filter(([id, seen]) => !listed.has(id) && isCared(seen));
    const unclear = [...listed.values()].filter((item) =>
      needsQuestion(known.get(item.sessionId) ?? null, item),
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

  /** Something may still come of it, wherever it stands in the list. */
  function isCared(seen: SeenSession | null): boolean {
    if (seen === null) return false;
    return isBusy(seen) || (seen.told !== null && now() - seen.since < TOLD_MS);
  }

  /** The oldest of those nobody cares for are forgotten, so that the memory has an end. */
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

/** The list says enough of a session that did not move, and of one that is new and completed. */
function needsQuestion(before: SeenSession | null, item: SessionListItem): boolean {
  if ((item.status ?? null) !== null) return false;
  if (before === null) return (item.completedAt ?? null) === null;
  return isWorking(before) || hasMoved(before, item);
}

/** The latest of a session; null where there is nothing new, or where it cannot be said. */
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

/** One session that cannot be read keeps nobody from the others; where none can, it is trouble. */
function refuseNothing(answers: Answers): void {
  const all = [...answers.values()];
  const [first] = all;
  if (first?.type === 'unreadable' && all.every(({ type }) => type === 'unreadable')) {
    throw first.error;
  }
}
