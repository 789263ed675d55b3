import { INBOX } from '../core/delivery.ts';
import type { UsageCounters } from '../core/tally.ts';
import type { Connection } from './connection.ts';
import { integer, integerOrNull, text, textOrNull } from './row.ts';

/** Counts over the events received from `from` (inclusive) to `to` (exclusive), Unix ms. */
export function tallyOf(
  connection: Connection,
  { from, to }: { readonly from: number; readonly to: number },
): UsageCounters {
  const events = connection.get(
    'SELECT count(*) AS n FROM events WHERE received_at >= ? AND received_at < ?',
    from,
    to,
  );
  const sent = connection.all(
    `SELECT channel, count(*) AS n FROM events JOIN deliveries ON deliveries.event_id = events.id
     WHERE received_at >= ? AND received_at < ? AND deliveries.state = 'sent' AND channel <> ?
     GROUP BY channel`,
    from,
    to,
    INBOX,
  );
  const questions = connection.all(
    `SELECT opened_at, acknowledged_at, closed_at, alerts.state AS state, closed_by
     FROM events JOIN alerts ON alerts.event_id = events.id
     WHERE received_at >= ? AND received_at < ? AND alerts.kind IN ('needs.permission', 'needs.input')`,
    from,
    to,
  );
  const waitsMs = questions.flatMap((row) => {
    // What "time" closed was found to be over: nobody answered.
    const isResolved = text(row, 'state') === 'resolved' && textOrNull(row, 'closed_by') !== 'time';
    const answeredAt =
      integerOrNull(row, 'acknowledged_at') ??
      (isResolved ? integerOrNull(row, 'closed_at') : null);
    return answeredAt === null ? [] : [Math.max(0, answeredAt - integer(row, 'opened_at'))];
  });
  return {
    events: events === null ? 0 : integer(events, 'n'),
    sent: Object.fromEntries(sent.map((row) => [text(row, 'channel'), integer(row, 'n')])),
    questions: questions.length,
    answered: waitsMs.length,
    waitsMs,
  };
}
