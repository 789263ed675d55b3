import type { AlertStore } from '../core/alert.ts';
import { agentLabels, type HookRecord } from '../core/hook-event.ts';
import type { Session, SessionStore } from '../core/session.ts';
import { foundRecord, SERVICE, sourceRecord } from '../core/source-event.ts';
import type { EventSink, EventStore } from '../core/store.ts';
import { hashedId } from '../platform/crypto.ts';
import { type Clock, localTimezone, dayAndTime } from '../platform/time.ts';
import { countOf } from '../text/count.ts';

const EVERY_MS = 30_000;
/** Agents name the minute in which a limit ends, and some go on by themselves then. */
const LIMIT_IS_OVER_MS = 60_000;
/** A round that is overdue for this long while the machine is awake counts as lost, ms. */
const LOST_MS = 30 * 60_000;
/** Claude Code 2.1.332 begins a round up to 30 minutes late, to spread the load of all agents. */
const LATE_MS = 45 * 60_000;
const MOST_PAUSED = 1_000;
const MOST_NAMED = 5;

const OVERDUE = 'schedule.overdue';
const LIMIT_OVER = 'limit.over';

export interface TimeWatchOptions extends EventSink {
  readonly store: {
    readonly sessions: Pick<SessionStore, 'list' | 'limited' | 'noteLimitTold'>;
    readonly alerts: Pick<AlertStore, 'live'>;
    readonly events: Pick<EventStore, 'accept'>;
  };
  /** The address of the person of a hub whose machine this is; null: unknown, or there is no hub. */
  readonly personOf: (machine: string) => string | null;
  /** Whether another machine tells people of what happens here. */
  readonly isRelayed: () => boolean;
  /** Whether this process is the leader among those that share the store. */
  readonly isOwner: () => boolean;
  readonly now: Clock;
}

/** Watches the times that sessions wait for: the next round of one that wakes itself, and the end of a usage limit. */
export function createTimeWatch(options: TimeWatchOptions) {
  const { store, decide, prepare, onCommitted, personOf, isRelayed, isOwner, now } = options;
  let passedMs = 0;
  /** How long the round of a session is overdue, without the time in which the machine slept, by session, ms. */
  const late = new Map<string, number>();

  async function overdue(at: number, awakeMs: number): Promise<readonly HookRecord[]> {
    const paused = await store.sessions.list({ states: ['paused'], limit: MOST_PAUSED });
    const isLate = ({ schedule }: Session): boolean =>
      schedule !== null && schedule.until !== null && schedule.until + LATE_MS <= at;
    const behind = paused.filter(isLate);
    for (const key of late.keys()) if (!behind.some((one) => one.key === key)) late.delete(key);
    for (const { key } of behind) late.set(key, (late.get(key) ?? 0) + awakeMs);
    return behind
      .filter(({ key }) => (late.get(key) ?? 0) >= LOST_MS)
      .map((session) => lostRound(session, at));
  }

  async function limitsOver(at: number): Promise<void> {
    const limited = await store.sessions.limited();
    const isDue = ({ usageLimit }: Session): boolean =>
      usageLimit !== null &&
      !usageLimit.told &&
      usageLimit.until !== null &&
      usageLimit.until + LIMIT_IS_OVER_MS <= at;
    const due = limited.filter(isDue);
    const told = [...new Set(due.map(placeOf))].flatMap((place) => {
      const stopped = due.filter((session) => placeOf(session) === place && isStopped(session));
      return stopped.length === 0 ? [] : [limitOver(place, stopped, at, personOf)];
    });
    await commit([...told, ...(await wentOn(limited, at))]);
    if (due.length > 0) await store.sessions.noteLimitTold(due);
  }

  /** The notices whose sessions all went on: no one has to act. */
  async function wentOn(limited: readonly Session[], at: number): Promise<readonly HookRecord[]> {
    const waiting = new Set(limited.filter(isStopped).map(placeOf));
    const prefix = `${SERVICE}:${LIMIT_PREFIX}`;
    return (await store.alerts.live())
      .filter(({ sessionKey }) => sessionKey.startsWith(prefix))
      .map((alert) => ({ alert, place: alert.sessionKey.slice(prefix.length) }))
      .filter(({ place }) => !waiting.has(place))
      .map(({ alert, place }) =>
        sourceRecord(
          {
            id: hashedId(`${LIMIT_OVER} went on ${alert.id}`),
            kind: 'notice.over',
            event: LIMIT_OVER,
            about: `${LIMIT_PREFIX}${place}`,
            failed: false,
            headline: 'The sessions that a usage limit stopped went on',
            details: '',
            payload: {},
          },
          at,
        ),
      );
  }

  async function commit(records: readonly HookRecord[]): Promise<void> {
    if (records.length === 0) return;
    const verdicts = await store.events.accept(records.map(prepare), decide);
    if (verdicts.includes('committed')) onCommitted();
  }

  /**
   * Looks for what is due: it stays in the store, so that it survives a restart and a suspension.
   *
   * @param awakeMs the time since the last look, without that in which the machine slept, ms
   */
  async function look(awakeMs: number): Promise<void> {
    if (!isOwner()) return;
    const at = now();
    await commit(await overdue(at, awakeMs));
    if (!isRelayed()) await limitsOver(at);
  }

  return {
    look,
    /** Looks at most twice a minute. @param plannedMs the planned time since the last beat, ms */
    async beat(plannedMs: number) {
      passedMs += plannedMs;
      if (passedMs < EVERY_MS) return;
      const awakeMs = passedMs;
      passedMs = 0;
      await look(awakeMs);
    },
  };
}

/** Begins what a notice about the end of a limit is about. */
const LIMIT_PREFIX = 'limit/';

/** A limit holds for all sessions of an agent on a machine: they share its account. */
function placeOf({ agent, machine }: Session): string {
  return machine === null ? agent : `${agent}/${machine}`;
}

/** A headless run ends with the failure. */
function isStopped({ state, lastKind }: Session): boolean {
  return state === 'failed' || (state === 'ended' && lastKind === 'session.end');
}

/** One notice for all sessions that a limit stopped. @param at when it is sent, Unix ms */
export function limitOver(
  place: string,
  sessions: readonly Session[],
  at: number,
  personOf: TimeWatchOptions['personOf'],
): HookRecord {
  const [first] = sessions;
  const limits = [...new Set(sessions.map(({ usageLimit }) => usageLimit?.what ?? 'usage limit'))];
  const person = first === undefined || first.machine === null ? null : personOf(first.machine);
  const ids = sessions.map(({ key, usageLimit }) => `${key} ${usageLimit?.eventId ?? ''}`);
  return sourceRecord(
    {
      id: hashedId([LIMIT_OVER, place, ...ids.toSorted()].join(' ')),
      kind: 'notice',
      event: LIMIT_OVER,
      about: `${LIMIT_PREFIX}${place}`,
      failed: false,
      headline: `${first === undefined ? 'An agent' : capital(agentLabels[first.agent])} can go on: its ${limits.join(' and ')} is over`,
      details: `Stopped: ${namesOf(sessions)}. ${sessions.length === 1 ? 'It goes' : 'They go'} on when you prompt ${sessions.length === 1 ? 'it' : 'them'}`,
      payload: {
        sessions: sessions.map(({ key, sessionId, project }) => ({ key, sessionId, project })),
        ...(person !== null && { concerns: { email: person } }),
      },
    },
    at,
  );
}

function namesOf(sessions: readonly Session[]): string {
  const names = sessions.slice(0, MOST_NAMED).map(nameOf);
  const more = sessions.length - names.length;
  return more === 0 ? names.join(', ') : `${names.join(', ')} and ${countOf(more, 'more session')}`;
}

/** Such as "shop (Fix the cart)". */
function nameOf({ project, title, firstPrompt, lookedUp, machine }: Session): string {
  const about = lookedUp?.title ?? title ?? lookedUp?.transcriptTitle ?? firstPrompt;
  const where = [project, machine].filter((part) => part !== null).join(' on ');
  if (where === '') return about ?? 'a session';
  return about === null ? where : `${where} (${about.split('\n')[0] ?? ''})`;
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** The session counts as failed: it neither went on nor said that its schedule is over. */
function lostRound(session: Session, at: number): HookRecord {
  const { key, agent, sessionId, cwd, project, machine, facts, schedule } = session;
  const until = schedule?.until ?? at;
  const record = foundRecord({
    finder: OVERDUE,
    id: hashedId(`${OVERDUE} ${key} ${until}`),
    at,
    agent,
    event: OVERDUE,
    kind: 'turn.failed',
    sessionKey: key,
    sessionId,
    message: `The round that was due at ${dayAndTime(until, at, localTimezone())} has not begun. If you did not stop the schedule, look at the terminal of the session`,
    failed: true,
    title: null,
    subject: null,
    payload: {},
  });
  return { ...record, event: { ...record.event, machine, cwd, project, facts } };
}
