import { z } from 'zod';

import { agentNames, type HookEvent, kinds, sessionKeyOf } from '../core/hook-event.ts';
import { type LookedUp, lookedUpSchema } from '../core/looked-up.ts';
import { parseJson } from '../platform/json.ts';
import {
  type RunningTurn,
  type Session,
  type SessionState,
  sessionStates,
  type SessionStore,
  type UsageLimit,
} from '../core/session.ts';
import type { LimitMemory } from '../core/store.ts';
import { type Connection, mapEach, mapped, type Query } from './query.ts';
import type { Database } from './database.ts';
import { eventById } from './events.ts';
import {
  changesOrNull,
  facts,
  asFlag,
  asInteger,
  asJson,
  LAST_CHARACTER,
  asWord,
  nullable,
  readInteger,
  readText,
  readTextOrNull,
  type Row,
  stored,
  asText,
  upsertInto,
} from './row.ts';

const usageLimitOrNull = nullable(
  asJson<UsageLimit>(
    z.object({
      what: z.string(),
      until: z.number().nullable(),
      since: z.number(),
      eventId: z.string(),
      told: z.boolean(),
    }),
  ),
);

const storedSession = stored<Session>({
  key: asText,
  machine: nullable(asText),
  agent: asWord(agentNames),
  sessionId: nullable(asText),
  state: asWord(sessionStates),
  stateSince: asInteger,
  startedAt: asInteger,
  turnStartedAt: nullable(asInteger),
  lastTurnMs: nullable(asInteger),
  changes: changesOrNull,
  lastEventAt: asInteger,
  lastKind: asWord(kinds),
  lastEventId: asText,
  schedule: nullable(
    asJson(
      z.object({
        until: z.number().nullable(),
        round: z.number(),
        prompted: z.boolean(),
        prompts: z.array(z.string()),
      }),
    ),
  ),
  usageLimit: usageLimitOrNull,
  waitingFor: nullable(asText),
  project: nullable(asText),
  cwd: nullable(asText),
  title: nullable(asText),
  firstPrompt: nullable(asText),
  permissionMode: nullable(asText),
  attended: nullable(asFlag),
  facts,
  // Another version may have stored them in another shape: they can be looked up again.
  lookedUp: {
    write: (found) => (found === null ? null : JSON.stringify(found)),
    read: (row, column) =>
      lookedUpSchema.safeParse(parseJson(readTextOrNull(row, column) ?? 'null')).data ?? null,
  },
});

const upsertSession = upsertInto('sessions', storedSession.columns, 'key');

export function sessionStoreOn({ reads, writesBeside }: Database): SessionStore {
  return {
    list: reads(listSessions),
    named: reads(sessionsNamed),
    elsewhere: reads(sessionsElsewhere),
    runningTurns: reads(runningTurns),
    limited: reads(limitedSessions),
    noteLimitTold: writesBeside(noteLimitTold),
    noteLookedUp: writesBeside(noteLookedUp),
  };
}

export function saveSession(connection: Connection, session: Session): Query<number> {
  return connection.run(upsertSession, ...storedSession.valuesOf(session));
}

export function sessionByKey(connection: Connection, key: string): Query<Session | null> {
  const found = connection.get('SELECT * FROM sessions WHERE key = ?', key);
  return mapped(found, (row) => (row === null ? null : storedSession.read(row)));
}

/** The prompted session of the same agent, directory and machine with the latest event. */
export function* siblingOf(
  connection: Connection,
  { agent, cwd, machine, sessionKey }: HookEvent,
): Query<Session | null> {
  const row = yield* connection.get(
    `SELECT * FROM sessions WHERE agent = ? AND cwd IS NOT DISTINCT FROM ? AND machine IS NOT DISTINCT FROM ? AND key <> ? AND first_prompt IS NOT NULL
     ORDER BY last_event_at DESC LIMIT 1`,
    agent,
    cwd,
    machine,
    sessionKey,
  );
  return row === null ? null : storedSession.read(row);
}

function* limitedSessions(
  connection: Connection,
  like?: Pick<Session, 'agent' | 'machine'>,
): Query<readonly Session[]> {
  const rows = yield* connection.all('SELECT * FROM sessions WHERE usage_limit IS NOT NULL');
  return rows
    .map(storedSession.read)
    .filter(({ agent, machine }) => !like || (agent === like.agent && machine === like.machine));
}

/** What a new usage limit of this agent is compared with. */
export function* limitMemory(
  connection: Connection,
  { agent, machine }: HookEvent,
): Query<LimitMemory> {
  const sessions = yield* limitedSessions(connection, { agent, machine });
  const done = yield* connection.get(
    `SELECT state_since FROM sessions WHERE state = 'done' AND agent = ? AND machine IS NOT DISTINCT FROM ?
     ORDER BY last_event_at DESC LIMIT 1`,
    agent,
    machine,
  );
  return { sessions, succeededAt: done === null ? null : readInteger(done, 'state_since') };
}

function* noteLimitTold(
  connection: Connection,
  sessions: readonly Pick<Session, 'key' | 'usageLimit'>[],
): Query<void> {
  yield* connection.lockSessions(sessions.map(({ key }) => key));
  for (const { key, usageLimit } of sessions) {
    if (usageLimit === null) continue;
    yield* connection.run(
      'UPDATE sessions SET usage_limit = ? WHERE key = ? AND usage_limit = ?',
      usageLimitOrNull.write({ ...usageLimit, told: true }),
      key,
      usageLimitOrNull.write(usageLimit),
    );
  }
}

/** Changes the looked-up details of a session; has no effect on a removed one. */
function* noteLookedUp(
  connection: Connection,
  key: string,
  change: (before: LookedUp | null) => LookedUp,
): Query<void> {
  yield* connection.lockSessions([key]);
  const session = yield* sessionByKey(connection, key);
  if (session === null) return;
  yield* connection.run(
    'UPDATE sessions SET looked_up = ? WHERE key = ?',
    JSON.stringify(change(session.lookedUp)),
    key,
  );
}

/** Waiting sessions first, the one that waits longest on top; then the others, the latest event first. */
function* listSessions(
  connection: Connection,
  { states = sessionStates, limit }: Parameters<SessionStore['list']>[0],
): Query<readonly Session[]> {
  const waiting = states.includes('waiting') ? yield* waitingSessions(connection, limit) : [];
  // One search per state, because an index is in order of time only within a state.
  const others = yield* mapEach(
    [...new Set(states)].filter((state) => state !== 'waiting'),
    (state) => latestSessions(connection, state, limit),
  );
  const latestFirst = others.flat().toSorted((a, b) => b.lastEventAt - a.lastEventAt);
  return [...waiting, ...latestFirst].slice(0, limit);
}

/** Running turns of these agents on this machine with a transcript, the session with the latest event first. */
function* runningTurns(
  connection: Connection,
  { agents, limit }: Parameters<SessionStore['runningTurns']>[0],
): Query<readonly RunningTurn[]> {
  const rows = yield* connection.all(
    `SELECT since, event_id FROM (
        SELECT last_event_at, coalesce(turn_started_at, state_since) AS since,
          (SELECT id FROM events WHERE session_key = sessions.key AND transcript_path IS NOT NULL ORDER BY seq DESC LIMIT 1) AS event_id
        FROM sessions WHERE state = 'working' AND machine IS NULL AND agent IN (SELECT value FROM json_each(?))
      ) AS running
      WHERE event_id IS NOT NULL ORDER BY last_event_at DESC LIMIT ?`,
    JSON.stringify(agents),
    limit,
  );
  return yield* mapEach(rows, function* readTurn(row) {
    const event = yield* eventById(connection, readText(row, 'event_id'));
    return { since: readInteger(row, 'since'), event };
  });
}

/** The keys of the sessions with this id that run on other machines. */
function* sessionsElsewhere(connection: Connection, sessionId: string): Query<readonly string[]> {
  return (yield* connection.all(
    'SELECT key FROM sessions WHERE session_id = ? AND machine IS NOT NULL',
    sessionId,
  )).map((row) => readText(row, 'key'));
}

/** By key, or by id, from which the keys of this machine follow: only those of other machines have an index by id. */
function* sessionsNamed(
  connection: Connection,
  name: string,
  limit: number,
): Query<readonly Session[]> {
  const keys = [name, ...agentNames.map((agent) => sessionKeyOf(agent, name, null))];
  const exact = yield* connection.all(
    `SELECT * FROM sessions WHERE key IN (${keys.map(() => '?').join(', ')})
     UNION SELECT * FROM sessions WHERE session_id = ? AND machine IS NOT NULL`,
    ...keys,
    name,
  );
  const rows = exact.length > 0 ? exact : yield* sessionsBeginning(connection, name, limit);
  const sessions = rows.map(storedSession.read);
  return [
    ...sessions.filter(({ machine }) => machine === null),
    ...sessions.filter(({ machine }) => machine !== null),
  ];
}

/** Sessions whose id begins with a word. */
function* sessionsBeginning(
  connection: Connection,
  word: string,
  limit: number,
): Query<readonly Row[]> {
  const found: Row[] = [];
  for (const agent of agentNames) {
    const beginning = sessionKeyOf(agent, word, null);
    const here = yield* connection.all(
      'SELECT * FROM sessions WHERE key >= ? AND key < ? AND session_id IS NOT NULL ORDER BY key LIMIT ?',
      beginning,
      beginning + LAST_CHARACTER,
      limit,
    );
    found.push(...here);
  }
  const elsewhere = yield* connection.all(
    'SELECT * FROM sessions WHERE session_id >= ? AND session_id < ? AND machine IS NOT NULL ORDER BY session_id LIMIT ?',
    word,
    word + LAST_CHARACTER,
    limit,
  );
  return [...found, ...elsewhere];
}

function* waitingSessions(connection: Connection, limit: number): Query<readonly Session[]> {
  return (yield* connection.all(
    "SELECT * FROM sessions WHERE state = 'waiting' ORDER BY state_since LIMIT ?",
    limit,
  )).map(storedSession.read);
}

function* latestSessions(
  connection: Connection,
  state: SessionState,
  limit: number,
): Query<readonly Session[]> {
  return (yield* connection.all(
    'SELECT * FROM sessions WHERE state = ? ORDER BY last_event_at DESC LIMIT ?',
    state,
    limit,
  )).map(storedSession.read);
}
