import type { SelfCheck, SelfCheckFinding, SelfCheckProblem } from '../core/history.ts';
import { LIVE } from './alerts.ts';
import { UNSENT } from './deliveries.ts';
import type { Connection, Query } from './query.ts';
import { read } from './row.ts';

/** A larger check would block others: this many take about 50 ms. */
const LATEST = 20_000;
/** A delivery due for this long without a start was forgotten, ms. */
const LATE_MS = 15 * 60_000;
const EXAMPLES = 3;

interface Limits {
  /** The oldest event that is checked. */
  readonly from: number;
  /** Deliveries due before this must have been started. */
  readonly before: number;
  readonly now: number;
}

/** Problems, statements that return the ids of events with them, and the values of these. */
const checks: readonly (readonly [SelfCheckProblem, string, ...(keyof Limits)[]])[] = [
  [
    'undecided',
    `SELECT id FROM events WHERE seq >= ? AND decisions = '[]'
      AND NOT EXISTS (SELECT 1 FROM deliveries WHERE event_id = events.id)`,
    'from',
  ],
  [
    'without payload',
    `SELECT id FROM events WHERE seq >= ?
      AND NOT EXISTS (SELECT 1 FROM payloads WHERE event_seq = events.seq)`,
    'from',
  ],
  [
    'late',
    // A channel that has sent recently is only slow.
    `SELECT event_id AS id FROM deliveries
      LEFT JOIN channel_states AS channel ON channel.channel = deliveries.channel
      WHERE ${UNSENT} AND due_at < ? AND claimed_until IS NULL
        AND (held_for IS NOT NULL OR (
          coalesce(circuit, 'closed') = 'closed' AND coalesce(not_before, 0) <= ?
          AND coalesce(last_at, 0) < ?
        ))`,
    'before',
    'now',
    'before',
  ],
  ['abandoned', 'SELECT event_id AS id FROM deliveries WHERE claimed_until < ?', 'before'],
  [
    'unexplained',
    `SELECT event_id AS id FROM events JOIN deliveries ON event_id = events.id
      WHERE events.seq >= ? AND state IN ('dead', 'cancelled')
        AND coalesce(deliveries.reason, '') = ''`,
    'from',
  ],
  ['unfinished', `SELECT event_id AS id FROM alerts WHERE ${LIVE} AND expires_at < ?`, 'before'],
];

export function* selfCheck(connection: Connection, now: number): Query<SelfCheck> {
  const newest = yield* connection.get('SELECT coalesce(max(seq), 0) AS seq FROM events');
  const from = (newest === null ? 0 : read.integer(newest, 'seq')) - LATEST + 1;
  const counted = yield* connection.get(
    'SELECT count(*) AS count FROM events WHERE seq >= ?',
    from,
  );
  const limits: Limits = { from, before: now - LATE_MS, now };
  const findings: SelfCheckFinding[] = [];
  for (const [problem, sql, ...values] of checks) {
    const rows = yield* connection.all(sql, ...values.map((name) => limits[name]));
    const eventIds = [...new Set(rows.map((row) => read.text(row, 'id')))].slice(0, EXAMPLES);
    if (rows.length > 0) findings.push({ problem, count: rows.length, eventIds });
  }
  return { events: counted === null ? 0 : read.integer(counted, 'count'), findings };
}
