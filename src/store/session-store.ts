import { z } from 'zod';

import { agentNames, type HookEvent, kinds, sessionKeyOf } from '../core/hook-event.ts';
import { type LookedUp, lookedUpSchema } from '../core/looked-up.ts';
import { parseJson } from '../platform/json.ts';
import {
  type RunningTurn,
  type Session,
  sessionStates,
  type SessionStore,
  type UsageLimit,
} from '../core/session.ts';
import type { LimitMemory } from '../core/store.ts';
import { type Connection, mapEach, type Query } from './query.ts';
import type { Database } from './database.ts';
import { eventById } from './events.ts';
import {
  changesOrNull,
  facts,
  field,
  LAST_CHARACTER,
  nullable,
  read,
  type Row,
  stored,
  upsertInto,
} from './row.ts';

const usageLimitOrNull = nullable(
  field.json<UsageLimit>(
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
  key: field.text,
  machine: nullable(field.text),
  agent: field.word(agentNames),
  sessionId: nullable(field.text),
  state: field.word(sessionStates),
  stateSince: field.integer,
  startedAt: field.integer,
  turnStartedAt: nullable(field.integer),
  lastTurnMs: nullable(field.integer),
  changes: changesOrNull,
  lastEventAt: field.integer,
  lastKind: field.word(kinds),
  lastEventId: field.text,
  schedule: nullable(
    field.json(
      z.object({
        until: z.number().nullable(),
        round: z.number(),
        prompted: z.boolean(),
        prompts: z.array(z.string()),
      }),
    ),
  ),
  usageLimit: usageLimitOrNull,
  waitingFor: nullable(field.text),
  project: nullable(field.text),
  cwd: nullable(field.text),
  title: nullable(field.text),
  firstPrompt: nullable(field.text),
  permissionMode: nullable(field.text),
  attended: nullable(field.flag),
  facts,
  // Another version may have stored them in another shape: they can be looked up again.
  lookedUp: {
    write: (found) => (found === null ? null : JSON.stringify(found)),
    read: (row, column) =>
      lookedUpSchema.safeParse(parseJson(read.textOrNull(row, column) ?? 'null')).data ?? null,
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

export function* sessionByKey(connection: Connection, key: string): Query<Session | null> {
  const row = yield* connection.get('SELECT * FROM sessions WHERE key = ?', key);
  return row === null ? null : storedSession.read(row);
}

/** The prompted session of the same agent, directory and machine with the latest event. */
export function* siblingOf(
  connection: Connection,
  { agent, cwd, machine, sessionKey }: HookEvent,
): Query<Session | null> {
  const sql = `SELECT * FROM sessions WHERE agent = ? AND cwd IS NOT DISTINCT FROM ? AND machine IS NOT DISTINCT FROM ? AND key <> ? AND first_prompt IS NOT NULL
     ORDER BY last_event_at DESC LIMIT 1`;
  const row = yield* connection.get(sql, agent, cwd, machine, sessionKey);
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
  const sql = `SELECT state_since FROM sessions WHERE state = 'done' AND agent = ? AND machine IS NOT DISTINCT FROM ?
     ORDER BY last_event_at DESC LIMIT 1`;
  const done = yield* connection.get(sql, agent, machine);
  return { sessions, succeededAt: done === null ? null : read.integer(done, 'state_since') };
}

function* noteLimitTold(
  connection: Connection,
  sessions: readonly Pick<Session, 'key' | 'usageLimit'>[],
): Query<void> {
  yield* connection.lockSessions(sessions.map(({ key }) => key));
  for (const { key, usageLimit } of sessions) {
    if (usageLimit === null) continue;
    const told = usageLimitOrNull.write({ ...usageLimit, told: true });
    const sql = 'UPDATE sessions SET usage_limit = ? WHERE key = ? AND usage_limit = ?';
    yield* connection.run(sql, told, key, usageLimitOrNull.write(usageLimit));
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
  const sql = 'UPDATE sessions SET looked_up = ? WHERE key = ?';
  yield* connection.run(sql, JSON.stringify(change(session.lookedUp)), key);
}

/** Waiting sessions first, the one that waits longest on top; then the others, the latest event first. */
function* listSessions(
  connection: Connection,
  { states = sessionStates, limit }: Parameters<SessionStore['list']>[0],
): Query<readonly Session[]> {
  const waiting = "SELECT * FROM sessions WHERE state = 'waiting' ORDER BY state_since LIMIT ?";
  const longest = states.includes('waiting') ? yield* connection.all(waiting, limit) : [];
  // One search per state, because an index is in order of time only within a state.
  const sql = 'SELECT * FROM sessions WHERE state = ? ORDER BY last_event_at DESC LIMIT ?';
  const others = yield* mapEach(
    [...new Set(states)].filter((state) => state !== 'waiting'),
    (state) => connection.all(sql, state, limit),
  );
  const latest = others
    .flat()
    .map(storedSession.read)
    .toSorted((a, b) => b.lastEventAt - a.lastEventAt);
  return [...longest.map(storedSession.read), ...latest].slice(0, limit);
}

/** Running turns of these agents on this machine with a transcript, the session with the latest event first. */
function* runningTurns(
  connection: Connection,
  { agents, limit }: Parameters<SessionStore['runningTurns']>[0],
): Query<readonly RunningTurn[]> {
  const sql = `SELECT since, event_id FROM (
        SELECT last_event_at, coalesce(turn_started_at, state_since) AS since,
          (SELECT id FROM events WHERE session_key = sessions.key AND transcript_path IS NOT NULL ORDER BY seq DESC LIMIT 1) AS event_id
        FROM sessions WHERE state = 'working' AND machine IS NULL AND agent IN (SELECT value FROM json_each(?))
      ) AS running
      WHERE event_id IS NOT NULL ORDER BY last_event_at DESC LIMIT ?`;
  const rows = yield* connection.all(sql, JSON.stringify(agents), limit);
  return yield* mapEach(rows, function* readTurn(row) {
    const event = yield* eventById(connection, read.text(row, 'event_id'));
    return { since: read.integer(row, 'since'), event };
  });
}

/** The keys of the sessions with this id that run on other machines. */
function* sessionsElsewhere(connection: Connection, sessionId: string): Query<readonly string[]> {
  const sql = 'SELECT key FROM sessions WHERE session_id = ? AND machine IS NOT NULL';
  return (yield* connection.all(sql, sessionId)).map((row) => read.text(row, 'key'));
}

/** By key, or by id, from which the keys of this machine follow: only those of other machines have an index by id. */
function* sessionsNamed(
  connection: Connection,
  name: string,
  limit: number,
): Query<readonly Session[]> {
  const keys = [name, ...agentNames.map((agent) => sessionKeyOf(agent, name, null))];
  const sql = `SELECT * FROM sessions WHERE key IN (${keys.map(() => '?').join(', ')})
     UNION SELECT * FROM sessions WHERE session_id = ? AND machine IS NOT NULL`;
  const exact = yield* connection.all(sql, ...keys, name);
  const rows = exact.length > 0 ? exact : yield* sessionsBeginning(connection, name, limit);
  const sessions = rows.map(storedSession.read);
  return [
    ...sessions.filter(({ machine }) => machine === null),
    ...sessions.filter(({ machine }) => machine !== null),
  ];
}

function* sessionsBeginning(
  connection: Connection,
  word: string,
  limit: number,
): Query<readonly Row[]> {
  const found: Row[] = [];
  for (const agent of agentNames) {
    const beginning = sessionKeyOf(agent, word, null);
    const sql =
      'SELECT * FROM sessions WHERE key >= ? AND key < ? AND session_id IS NOT NULL ORDER BY key LIMIT ?';
    found.push(...(yield* connection.all(sql, beginning, beginning + LAST_CHARACTER, limit)));
  }
  const selectSessions =
    'SELECT * FROM sessions WHERE session_id >= ? AND session_id < ? AND machine IS NOT NULL ORDER BY session_id LIMIT ?';
  const elsewhere = yield* connection.all(selectSessions, word, word + LAST_CHARACTER, limit);
  return [...found, ...elsewhere];
}
