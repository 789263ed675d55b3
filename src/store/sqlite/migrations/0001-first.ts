/**
 * The tables of events and their effects. Ids are globally unique texts, so that rows can move to a server later; `seq`
 * is the order of arrival on this machine.
 */
export const first = `
-- An event's row is written again when a later decision is added. Its payload, which may be large, is not.
CREATE TABLE events (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  at INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  agent TEXT NOT NULL,
  event TEXT NOT NULL,
  kind TEXT NOT NULL,
  session_key TEXT NOT NULL,
  session_id TEXT,
  cwd TEXT,
  project TEXT,
  message TEXT,
  tool TEXT,
  reason TEXT,
  failed INTEGER NOT NULL,
  notification_type TEXT,
  permission_mode TEXT,
  subagent INTEGER NOT NULL,
  attended INTEGER,
  source TEXT,
  title TEXT,
  transcript_path TEXT,
  background_work INTEGER NOT NULL,
  subject TEXT,
  duplicate_key TEXT NOT NULL,
  duplicate_window_ms INTEGER,
  duplicate_of TEXT,
  facts TEXT NOT NULL,
  decisions TEXT NOT NULL,
  suppressed INTEGER NOT NULL
) STRICT;
CREATE INDEX events_by_session ON events (session_key);
CREATE INDEX events_by_agent ON events (agent);
CREATE INDEX events_by_reception ON events (received_at);
CREATE INDEX events_suppressed ON events (suppressed) WHERE suppressed = 1;
CREATE INDEX events_suppressed_by_agent ON events (agent, suppressed) WHERE suppressed = 1;
-- A window starts at the first event of its key: repeats do not prolong it.
CREATE INDEX events_by_duplicate_key ON events (duplicate_key, at) WHERE duplicate_of IS NULL;

CREATE TABLE payloads (
  event_seq INTEGER PRIMARY KEY REFERENCES events (seq) ON DELETE CASCADE,
  bytes BLOB NOT NULL
) STRICT;

CREATE TABLE sessions (
  key TEXT PRIMARY KEY,
  agent TEXT NOT NULL,
  session_id TEXT,
  state TEXT NOT NULL,
  state_since INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  turn_started_at INTEGER,
  last_turn_ms INTEGER,
  last_event_at INTEGER NOT NULL,
  last_kind TEXT NOT NULL,
  last_event_id TEXT NOT NULL,
  waiting_for TEXT,
  project TEXT,
  cwd TEXT,
  title TEXT,
  first_prompt TEXT,
  permission_mode TEXT,
  attended INTEGER,
  facts TEXT NOT NULL
) STRICT;
CREATE INDEX sessions_by_state ON sessions (state, last_event_at);
CREATE INDEX sessions_waiting ON sessions (state, state_since) WHERE state = 'waiting';

CREATE TABLE alerts (
  id TEXT PRIMARY KEY,
  session_key TEXT NOT NULL,
  state TEXT NOT NULL,
  kind TEXT NOT NULL,
  event TEXT NOT NULL,
  subject TEXT,
  event_id TEXT NOT NULL REFERENCES events (id) ON DELETE CASCADE,
  opened_at INTEGER NOT NULL,
  closed_at INTEGER,
  closed_by TEXT,
  plan TEXT NOT NULL
) STRICT;
CREATE INDEX alerts_by_event ON alerts (event_id);
CREATE UNIQUE INDEX alerts_live ON alerts (session_key) WHERE state IN ('open', 'acknowledged');

CREATE TABLE deliveries (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  event_id TEXT NOT NULL REFERENCES events (id) ON DELETE CASCADE,
  alert_id TEXT,
  session_key TEXT NOT NULL,
  step INTEGER NOT NULL,
  channel TEXT NOT NULL,
  state TEXT NOT NULL,
  due_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  reason TEXT,
  ref TEXT,
  carry TEXT,
  possible_duplicate INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  sent_at INTEGER,
  fence INTEGER NOT NULL DEFAULT 0,
  claimed_at INTEGER,
  claimed_until INTEGER,
  -- Set while it is claimed: the attempt under way ends as it ends, but there will be no other one.
  cancel_reason TEXT,
  -- 1: the one of its session and channel whose turn it is; the others wait for it. Kept by triggers.
  is_next INTEGER NOT NULL DEFAULT 0,
  ready_at INTEGER GENERATED ALWAYS AS (coalesce(claimed_until, due_at)) VIRTUAL,
  turn INTEGER GENERATED ALWAYS AS (
    CASE WHEN claimed_until IS NOT NULL THEN 0 WHEN state = 'retrying' THEN 1 ELSE 2 END
  ) VIRTUAL
) STRICT;
CREATE INDEX deliveries_by_event ON deliveries (event_id);
CREATE INDEX deliveries_by_state ON deliveries (state, due_at);
CREATE INDEX deliveries_by_turn ON deliveries (channel, session_key, turn, due_at)
  WHERE state IN ('pending', 'retrying');
CREATE INDEX deliveries_next ON deliveries (channel, session_key) WHERE is_next = 1;
CREATE INDEX deliveries_ready ON deliveries (channel, ready_at) WHERE is_next = 1;
CREATE INDEX deliveries_unsent_by_alert ON deliveries (alert_id) WHERE state IN ('pending', 'retrying');
CREATE INDEX deliveries_claimed ON deliveries (claimed_until) WHERE claimed_until IS NOT NULL;

CREATE TABLE attempts (
  seq INTEGER PRIMARY KEY,
  delivery_id TEXT NOT NULL REFERENCES deliveries (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  reason TEXT
) STRICT;
CREATE INDEX attempts_by_delivery ON attempts (delivery_id);

CREATE TABLE channel_states (
  channel TEXT PRIMARY KEY,
  not_before INTEGER NOT NULL,
  circuit TEXT NOT NULL,
  open_until INTEGER,
  failures INTEGER NOT NULL,
  last_outcome TEXT,
  last_reason TEXT,
  last_at INTEGER
) STRICT;

CREATE TABLE quarantine (
  id TEXT PRIMARY KEY,
  at INTEGER NOT NULL,
  reason TEXT NOT NULL,
  detail TEXT NOT NULL,
  bytes INTEGER NOT NULL
) STRICT;
CREATE INDEX quarantine_by_time ON quarantine (at);

-- How many rows there are, by state. Counting a million rows would take longer than a person waits for "status".
CREATE TABLE counters (
  thing TEXT NOT NULL,
  state TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (thing, state)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER count_event AFTER INSERT ON events BEGIN
  INSERT INTO counters VALUES ('event', '', 1) ON CONFLICT DO UPDATE SET count = count + 1;
END;
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

-- Suppressed: nobody was or will be told, because there is no delivery that was not cancelled.
CREATE TRIGGER suppress_event AFTER UPDATE OF state ON deliveries
WHEN new.state = 'cancelled' AND old.state <> 'cancelled' BEGIN
  UPDATE events SET suppressed = 1 WHERE id = new.event_id AND NOT EXISTS (
    SELECT 1 FROM deliveries WHERE event_id = new.event_id AND state <> 'cancelled'
  );
END;
CREATE TRIGGER unsuppress_event AFTER UPDATE OF state ON deliveries
WHEN new.state <> 'cancelled' AND old.state = 'cancelled' BEGIN
  UPDATE events SET suppressed = 0 WHERE id = new.event_id;
END;

CREATE TRIGGER queue_delivery AFTER INSERT ON deliveries BEGIN
  UPDATE deliveries SET is_next = 0
  WHERE channel = new.channel AND session_key = new.session_key AND is_next = 1;
  UPDATE deliveries SET is_next = 1 WHERE seq = (
    SELECT seq FROM deliveries
    WHERE channel = new.channel AND session_key = new.session_key AND state IN ('pending', 'retrying')
    ORDER BY turn, due_at, seq LIMIT 1
  );
END;
CREATE TRIGGER requeue_delivery AFTER UPDATE OF state, due_at, claimed_until ON deliveries BEGIN
  UPDATE deliveries SET is_next = 0
  WHERE channel = new.channel AND session_key = new.session_key AND is_next = 1;
  UPDATE deliveries SET is_next = 1 WHERE seq = (
    SELECT seq FROM deliveries
    WHERE channel = new.channel AND session_key = new.session_key AND state IN ('pending', 'retrying')
    ORDER BY turn, due_at, seq LIMIT 1
  );
END;
`;
