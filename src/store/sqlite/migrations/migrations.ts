import { peopleTables } from '../../migrations/first-people.ts';
import { firstTables } from '../../migrations/first-tables.ts';

const fileIndexes = `
CREATE INDEX events_by_session ON events (session_key);
CREATE INDEX events_by_agent ON events (agent);
CREATE INDEX events_suppressed ON events (suppressed) WHERE suppressed = 1;
CREATE INDEX events_suppressed_by_agent ON events (agent, suppressed) WHERE suppressed = 1;
-- A window starts at the first event of its key: repeats do not prolong it.
CREATE INDEX events_by_duplicate_key ON events (duplicate_key, at) WHERE duplicate_of IS NULL;
CREATE INDEX sessions_waiting ON sessions (state, state_since) WHERE state = 'waiting';
-- Finds the request that a finished call answers among those that a newer one replaced.
CREATE INDEX alerts_by_subject ON alerts (session_key, subject, opened_at) WHERE subject IS NOT NULL;
CREATE INDEX deliveries_by_turn ON deliveries (channel, session_key, turn, due_at)
  WHERE state IN ('pending', 'retrying') AND held_for IS NULL;
CREATE INDEX deliveries_next ON deliveries (channel, session_key) WHERE is_next = 1;
CREATE INDEX deliveries_ready ON deliveries (channel, ready_at) WHERE is_next = 1;
-- Reports read only this index, in its order, so that a year of waits needs neither the rows nor sorting.
CREATE INDEX waits_measured ON waits (
  day, kind, agent, project, machine, ending, channel, step, since, waited_ms, working_ms, gap_ms, returned_ms
) WHERE day IS NOT NULL;
CREATE INDEX waits_named ON waits (
  request, agent, project, ending, answer, since, waited_ms
) WHERE request IS NOT NULL;
`;

/** The first delivery in the queue of a session and channel. */
const firstInQueue = `(
    SELECT seq FROM deliveries
    WHERE channel = new.channel AND session_key = new.session_key
      AND state IN ('pending', 'retrying') AND held_for IS NULL
    ORDER BY turn, due_at, seq LIMIT 1
  )`;

/**
 * Writes `is_next` only where it changes, and not at all for what is stored as sent: each write moves a row in two indexes,
 * and most changes of a delivery leave the head of its session's queue where it is.
 */
const moveTurn = `BEGIN
  UPDATE deliveries SET is_next = 0
  WHERE channel = new.channel AND session_key = new.session_key AND is_next = 1 AND seq IS NOT ${firstInQueue};
  UPDATE deliveries SET is_next = 1 WHERE is_next = 0 AND seq = ${firstInQueue};
END;`;

/** What follows from a change of a row: how many there are, what was suppressed, and whose turn it is. */
const firstTriggers = `
-- How many rows there are, by state. Counting a million rows would take longer than a person waits for "status".
CREATE TABLE counters (
  thing TEXT NOT NULL,
  state TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (thing, state)
) STRICT, WITHOUT ROWID;

-- Events are counted once per commit: a trigger took as long as the insertion itself.
INSERT INTO counters VALUES ('event', '', 0);

CREATE TRIGGER discount_event AFTER DELETE ON events BEGIN
  UPDATE counters SET count = count - 1 WHERE thing = 'event' AND state = '';
END;
CREATE TRIGGER count_session AFTER INSERT ON sessions BEGIN
  INSERT INTO counters VALUES ('session', new.state, 1) ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER discount_session AFTER DELETE ON sessions BEGIN
  UPDATE counters SET count = count - 1 WHERE thing = 'session' AND state = old.state;
END;
CREATE TRIGGER recount_session AFTER UPDATE OF state ON sessions WHEN new.state <> old.state BEGIN
  UPDATE counters SET count = count - 1 WHERE thing = 'session' AND state = old.state;
  INSERT INTO counters VALUES ('session', new.state, 1) ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER count_delivery AFTER INSERT ON deliveries BEGIN
  INSERT INTO counters VALUES ('delivery', new.state, 1) ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER discount_delivery AFTER DELETE ON deliveries BEGIN
  UPDATE counters SET count = count - 1 WHERE thing = 'delivery' AND state = old.state;
END;
CREATE TRIGGER recount_delivery AFTER UPDATE OF state ON deliveries WHEN new.state <> old.state BEGIN
  UPDATE counters SET count = count - 1 WHERE thing = 'delivery' AND state = old.state;
  INSERT INTO counters VALUES ('delivery', new.state, 1) ON CONFLICT DO UPDATE SET count = count + 1;
END;

-- Suppressed: each delivery was cancelled, and no other one reports it. The inbox, which notifies no one, does not count.
CREATE TRIGGER suppress_event AFTER UPDATE OF state, told_by ON deliveries
WHEN new.state = 'cancelled' AND new.told_by IS NULL BEGIN
  UPDATE events SET suppressed = 1 WHERE id = new.event_id AND NOT EXISTS (
    SELECT 1 FROM deliveries
    WHERE event_id = new.event_id AND channel <> 'inbox' AND (state <> 'cancelled' OR told_by IS NOT NULL)
  );
END;
CREATE TRIGGER unsuppress_event AFTER UPDATE OF state ON deliveries
WHEN new.state <> 'cancelled' AND old.state = 'cancelled' AND new.channel <> 'inbox' BEGIN
  UPDATE events SET suppressed = 0 WHERE id = new.event_id;
END;
-- What a delivery was to report that will not be sent has to be decided upon again.
CREATE TRIGGER hold_again AFTER UPDATE OF state ON deliveries
WHEN new.state = 'cancelled' AND old.state <> 'cancelled' BEGIN
  UPDATE deliveries SET state = 'pending', held_for = 'burst', told_by = NULL, reason = NULL
  WHERE told_by = new.id;
END;

CREATE TRIGGER queue_delivery AFTER INSERT ON deliveries
WHEN new.held_for IS NULL AND new.state IN ('pending', 'retrying') ${moveTurn}
-- It does not run where it could change nothing, which is with nearly every message of a backlog: one that is claimed
-- behind the claimed head of its session, and one that leaves the queue from behind the head.
CREATE TRIGGER requeue_delivery AFTER UPDATE OF state, due_at, claimed_until, held_for ON deliveries
WHEN (old.held_for IS NULL OR new.held_for IS NULL)
  AND NOT (old.is_next = 0 AND new.state NOT IN ('pending', 'retrying'))
  AND NOT (
    old.claimed_until IS NULL AND new.claimed_until IS NOT NULL AND new.state = old.state
    AND new.due_at = old.due_at AND new.held_for IS old.held_for AND EXISTS (
      SELECT 1 FROM deliveries AS head
      WHERE head.channel = new.channel AND head.session_key = new.session_key AND head.is_next = 1
        AND head.claimed_until IS NOT NULL AND (head.due_at, head.seq) <= (new.due_at, new.seq)
    )
  )
${moveTurn}
`;

/**
 * All migrations in order. The database's `user_version` is the number of applied ones. The first one changes with the
 * program until it is released; a released one is never changed: add a new one.
 */
export const migrations: readonly string[] = [
  firstTables + peopleTables + fileIndexes + firstTriggers,
];
