import { confirmedIn, LATE_HOOK, seenIn } from '../core/agent/witness.ts';
import { INBOX, type NewDelivery } from '../core/delivery.ts';
import type { WaitsSeen } from '../core/history.ts';
import { agentNames } from '../core/hook-event.ts';
import type { UsageCounters } from '../core/metrics.ts';
import type { ShownNotifications, WholeDelivery } from '../core/outbox.ts';
import type { Counted, Traffic } from '../core/due.ts';
import { type Connection, mapEach, type Query } from './query.ts';
import type { Database } from './database.ts';
import { readDelivery, SELECT_DELIVERIES } from './deliveries.ts';
import { WAITING_KINDS } from './events.ts';
import { fact } from './lazy-facts.ts';
import { facts, read, type Row } from './row.ts';
import { wholeDelivery } from './claims.ts';
import { finishWithdrawals, hasSuccessor, withdrawalsOf } from './withdrawals.ts';

const HOUR_MS = 3_600_000;

/** Which deliveries count. The kind of each message of the hour is looked up, newest first: a join would read all events of a kind. */
const kind = '(SELECT kind FROM events WHERE events.id = event_id)';
const condition: Readonly<Record<Counted, string>> = {
  all: '',
  waits: ` AND ${kind} IN (${WAITING_KINDS})`,
  news: ` AND ${kind} NOT IN (${WAITING_KINDS})`,
};

/** The traffic of channels, or of one recipient in them, and of a session in that. Read only on demand. */
export function trafficOn(
  connection: Connection,
  now: number,
): (place: TrafficPlace, sessionKey: string) => Traffic {
  const since = now - HOUR_MS;
  const released = fact(
    (
      channel: string,
      recipient: string | null,
      sessionKey: string | null,
      nth: number,
      counted: Counted,
    ) => latest(connection, { channel, recipient }, sessionKey, since, nth, counted),
  );
  const paused = fact((channel: string) => pausedUntil(connection, channel));
  return ({ channel, recipient }, sessionKey) => ({
    channel: (nth, counted) => released(channel, recipient, null, nth, counted),
    session: (nth, counted) => released(channel, recipient, sessionKey, nth, counted),
    pausedUntil: () => paused(channel),
  });
}

function* pausedUntil(connection: Connection, channel: string): Query<number> {
  const sql =
    'SELECT max(not_before, coalesce(open_until, 0)) AS until FROM channel_states WHERE channel = ?';
  const row = yield* connection.get(sql, channel);
  return row === null ? 0 : read.integer(row, 'until');
}

/** A channel and, if it is personal, one of its recipients. */
export type TrafficPlace = Pick<NewDelivery, 'channel' | 'recipient'>;

/** When the latest message (1), the one before it (2) and so on was released there; null: there were fewer. */
function* latest(
  connection: Connection,
  { channel, recipient }: TrafficPlace,
  sessionKey: string | null,
  since: number,
  nth: number,
  counted: Counted,
): Query<number | null> {
  // Only conditions that are needed: this is asked with every event.
  const sql = `SELECT released_at FROM deliveries WHERE channel = ? AND released_at > ?${sessionKey === null ? '' : ' AND session_key = ?'}${recipient === null ? '' : ' AND recipient = ?'}${condition[counted]} ORDER BY released_at DESC LIMIT 1 OFFSET ?`;
  const place = [sessionKey, recipient].filter((value) => value !== null);
  const row = yield* connection.get(sql, channel, since, ...place, nth - 1);
  return row === null ? null : read.integer(row, 'released_at');
}

/** Counts over the events received from `from` (inclusive) to `to` (exclusive), Unix ms. */
export function* countUsage(
  connection: Connection,
  { from, to }: { readonly from: number; readonly to: number },
): Query<UsageCounters> {
  const events = yield* connection.get(
    'SELECT count(*) AS n FROM events WHERE received_at >= ? AND received_at < ?',
    from,
    to,
  );
  const sql = `SELECT channel, count(*) AS n FROM events JOIN deliveries ON deliveries.event_id = events.id
     WHERE received_at >= ? AND received_at < ? AND deliveries.state = 'sent' AND channel <> ?
     GROUP BY channel`;
  const sent = yield* connection.all(sql, from, to, INBOX);
  const selectEvents = `SELECT opened_at, acknowledged_at, closed_at, alerts.state AS state, closed_by
     FROM events JOIN alerts ON alerts.event_id = events.id
     WHERE received_at >= ? AND received_at < ? AND alerts.kind IN (${WAITING_KINDS})`;
  const questions = yield* connection.all(selectEvents, from, to);
  const waitsMs = questions.flatMap((row) => {
    // An alert closed by "time" was found to be over, without an answer.
    const isResolved =
      read.text(row, 'state') === 'resolved' && read.textOrNull(row, 'closed_by') !== 'time';
    const answeredAt =
      read.integerOrNull(row, 'acknowledged_at') ??
      (isResolved ? read.integerOrNull(row, 'closed_at') : null);
    return answeredAt === null ? [] : [Math.max(0, answeredAt - read.integer(row, 'opened_at'))];
  });
  return {
    events: events === null ? 0 : read.integer(events, 'n'),
    sent: Object.fromEntries(
      sent.map((row) => [read.text(row, 'channel'), read.integer(row, 'n')]),
    ),
    questions: questions.length,
    answered: waitsMs.length,
    waitsMs,
  };
}

export function shownNotificationsOn({ reads, writes }: Database): ShownNotifications {
  return {
    displayed: reads(standingDeliveries),
    displayedOf: reads(deliveriesOf),
    withdrawals: reads(withdrawalsOf),
    finishWithdrawals: writes(finishWithdrawals),
  };
}

/** Notifications of live alerts on a channel: sent, and with the channel's reference. */
function* standingDeliveries(
  connection: Connection,
  channel: string,
  limit: number,
): Query<readonly Displayed[]> {
  const sql = `${SELECT_DELIVERIES} WHERE alert_id IN (SELECT id FROM alerts WHERE state IN ('open', 'acknowledged'))
      AND channel = ? AND state = 'sent' AND ref IS NOT NULL AND withdraw_reason IS NULL ORDER BY seq DESC`;
  const rows = yield* connection.all(sql, channel);
  const standing: Displayed[] = [];
  for (const row of rows) {
    if (standing.length === limit) break;
    if (yield* hasSuccessor(connection, read.text(row, 'session_key'), row)) continue;
    standing.push(yield* displayedBy(connection, row));
  }
  return standing.toReversed();
}

type Displayed = WholeDelivery & { readonly ref: string };

function* displayedBy(connection: Connection, row: Row): Query<Displayed> {
  const whole = yield* wholeDelivery(connection, readDelivery(row));
  return { ...whole, ref: read.text(row, 'ref') };
}

function* deliveriesOf(
  connection: Connection,
  eventIds: readonly string[],
): Query<readonly Displayed[]> {
  const sql = `${SELECT_DELIVERIES} WHERE event_id IN (SELECT value FROM json_each(?)) AND state = 'sent' AND ref IS NOT NULL`;
  const rows = yield* connection.all(sql, JSON.stringify(eventIds));
  return yield* mapEach(rows, (row) => displayedBy(connection, row));
}

const MOST_WAITS = 20_000;

/** How waits were seen; reminders and other repetitions of a wait do not count. */
export function* waitsSeen(connection: Connection, since: number): Query<readonly WaitsSeen[]> {
  const sql = `SELECT agent, facts, decisions, received_at FROM events
     WHERE received_at >= ? AND machine IS NULL AND kind IN (${WAITING_KINDS}) ORDER BY received_at DESC LIMIT ${MOST_WAITS}`;
  const rows = yield* connection.all(sql, since);
  const found = new Map<string, { readonly one: Sighting; readonly afterMs: number[] }>();
  for (const row of rows) {
    const decisions = read.text(row, 'decisions');
    const isLate = decisions.includes(LATE_HOOK);
    if (!isLate && decisions.includes('"stage":"repeat"')) continue;
    const hookFacts = facts.read(row, 'facts');
    const raised = isLate ? null : seenIn(hookFacts);
    const seen = raised ?? (isLate ? null : confirmedIn(decisions));
    const one: Sighting = {
      agent: read.oneOf(row, 'agent', agentNames),
      by: isLate ? 'late' : raised === null ? 'hook' : 'record',
      version: seen?.version ?? null,
      surface: seen === null ? null : (hookFacts.claude_code_entrypoint ?? null),
    };
    const key = JSON.stringify(one);
    const group = found.get(key) ?? { one, afterMs: [] };
    found.set(key, group);
    group.afterMs.push(
      seen === null ? Number.NaN : Math.max(0, read.integer(row, 'received_at') - seen.since),
    );
  }
  return [...found.values()]
    .map(({ one, afterMs }) => {
      const median = afterMs.toSorted((a, b) => a - b)[afterMs.length >> 1];
      const isKnown = median !== undefined && !Number.isNaN(median);
      return { ...one, count: afterMs.length, afterMs: isKnown ? median : null };
    })
    .toSorted((a, b) => b.count - a.count);
}

type Sighting = Omit<WaitsSeen, 'count' | 'afterMs'>;
