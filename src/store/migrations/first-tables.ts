/**
 * The tables of events and their effects on both databases, written for SQLite. Ids are globally unique texts, so that rows
 * can move to a server; `seq` is the order of arrival on this machine. Each database adds the indexes that suit it.
 */
export const firstTables = `
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
  suppressed INTEGER NOT NULL,
  -- How long the turn took that the event ended.
  turn_ms INTEGER,
  machine TEXT,
  -- The request a person decides, as JSON (core/asked.ts).
  asked TEXT
) STRICT;
CREATE INDEX events_by_reception ON events (received_at);

CREATE TABLE payloads (
  event_seq INTEGER PRIMARY KEY REFERENCES events (seq) ON DELETE CASCADE,
  bytes BLOB NOT NULL
) STRICT;

CREATE TABLE sessions (
  key TEXT PRIMARY KEY,
  machine TEXT,
  agent TEXT NOT NULL,
  session_id TEXT,
  state TEXT NOT NULL,
  state_since INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  turn_started_at INTEGER,
  last_turn_ms INTEGER,
  -- File changes by tools in its turn, as JSON (core/hook-event.ts).
  changes TEXT,
  last_event_at INTEGER NOT NULL,
  last_kind TEXT NOT NULL,
  last_event_id TEXT NOT NULL,
  -- When it wakes itself, and the usage limit that stopped it, as JSON (core/session.ts).
  schedule TEXT,
  usage_limit TEXT,
  waiting_for TEXT,
  project TEXT,
  cwd TEXT,
  title TEXT,
  first_prompt TEXT,
  permission_mode TEXT,
  attended INTEGER,
  facts TEXT NOT NULL,
  looked_up TEXT
) STRICT;
CREATE INDEX sessions_by_state ON sessions (state, last_event_at);
CREATE INDEX sessions_limited ON sessions (agent) WHERE usage_limit IS NOT NULL;
CREATE INDEX sessions_elsewhere ON sessions (session_id) WHERE machine IS NOT NULL;

CREATE TABLE alerts (
  id TEXT PRIMARY KEY,
  session_key TEXT NOT NULL,
  state TEXT NOT NULL,
  kind TEXT NOT NULL,
  event TEXT NOT NULL,
  subject TEXT,
  event_id TEXT NOT NULL REFERENCES events (id) ON DELETE CASCADE,
  opened_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL DEFAULT 0,
  acknowledged_at INTEGER,
  snoozed_until INTEGER,
  closed_at INTEGER,
  closed_by TEXT,
  plan TEXT NOT NULL
) STRICT;
CREATE INDEX alerts_by_event ON alerts (event_id);
CREATE UNIQUE INDEX alerts_live ON alerts (session_key) WHERE state IN ('open', 'acknowledged');
CREATE INDEX alerts_expiring ON alerts (expires_at) WHERE state IN ('open', 'acknowledged');

CREATE TABLE deliveries (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  event_id TEXT NOT NULL REFERENCES events (id) ON DELETE CASCADE,
  alert_id TEXT,
  session_key TEXT NOT NULL,
  step INTEGER NOT NULL,
  repetition INTEGER NOT NULL DEFAULT 0,
  delay_ms INTEGER NOT NULL DEFAULT 0,
  condition TEXT,
  channel TEXT NOT NULL,
  -- A person of a hub.
  recipient TEXT,
  state TEXT NOT NULL,
  due_at INTEGER NOT NULL,
  held_for TEXT,
  quietly INTEGER NOT NULL DEFAULT 0,
  still_running INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0,
  -- Failed attempts that count against max_attempts.
  failures INTEGER NOT NULL DEFAULT 0,
  reason TEXT,
  ref TEXT,
  carry TEXT,
  possible_duplicate INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  -- When it went into the outbox, and awake_ms of the clock then.
  released_at INTEGER,
  released_awake_ms INTEGER NOT NULL DEFAULT 0,
  sent_at INTEGER,
  -- elapsed_ms of the clock when it became a dead letter.
  dead_elapsed_ms INTEGER,
  -- The delivery that reports its event in its stead; this one is cancelled then.
  told_by TEXT,
  -- Why what was shown is over; NULL again once that was handed out.
  withdraw_reason TEXT,
  -- Whether that is because its alert was acknowledged or is over.
  withdraw_cause TEXT,
  fence INTEGER NOT NULL DEFAULT 0,
  claimed_at INTEGER,
  claimed_until INTEGER,
  -- Set while it is claimed: the attempt under way ends as it ends, but there will be no other one.
  cancel_reason TEXT,
  -- 1: the one of its session and channel whose turn it is; the others wait for it, but what is held has no turn. Kept by
  -- triggers.
  is_next INTEGER NOT NULL DEFAULT 0,
  ready_at INTEGER GENERATED ALWAYS AS (coalesce(claimed_until, due_at)) VIRTUAL,
  turn INTEGER GENERATED ALWAYS AS (
    CASE WHEN claimed_until IS NOT NULL THEN 0 WHEN state = 'retrying' THEN 1 ELSE 2 END
  ) VIRTUAL
) STRICT;
CREATE INDEX deliveries_by_event ON deliveries (event_id);
CREATE INDEX deliveries_by_state ON deliveries (state, due_at);
CREATE INDEX deliveries_unsent_by_alert ON deliveries (alert_id) WHERE state IN ('pending', 'retrying');
CREATE INDEX deliveries_claimed ON deliveries (claimed_until) WHERE claimed_until IS NOT NULL;
CREATE INDEX deliveries_held ON deliveries (due_at) WHERE state = 'pending' AND held_for IS NOT NULL;
-- Without it, each answered request would look at every held delivery.
CREATE INDEX deliveries_settling ON deliveries (session_key) WHERE held_for = 'settle';
-- Counts the messages of a session within an hour from the index alone.
CREATE INDEX deliveries_released ON deliveries (channel, released_at, session_key) WHERE released_at IS NOT NULL;
CREATE INDEX deliveries_told_by ON deliveries (told_by) WHERE told_by IS NOT NULL;
CREATE INDEX deliveries_by_alert ON deliveries (alert_id) WHERE alert_id IS NOT NULL;
-- Also of messages that may have arrived without a confirmation.
CREATE INDEX deliveries_to_withdraw ON deliveries (channel)
  WHERE withdraw_reason IS NOT NULL
    AND (state = 'sent' AND ref IS NOT NULL OR state IN ('cancelled', 'dead') AND possible_duplicate = 1);

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
  last_at INTEGER,
  -- How long the channel has been missing from the configuration while something waited for it.
  missing_ms INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE quarantine (
  id TEXT PRIMARY KEY,
  at INTEGER NOT NULL,
  reason TEXT NOT NULL,
  detail TEXT NOT NULL,
  bytes INTEGER NOT NULL
) STRICT;
CREATE INDEX quarantine_by_time ON quarantine (at);

-- Events to relay to another machine.
CREATE TABLE relay_outbox (
  event_seq INTEGER PRIMARY KEY REFERENCES events (seq) ON DELETE CASCADE
) STRICT;

-- Clocks that a wrong wall clock cannot move: how long a daemon has run while deliveries waited (awake_ms), and how
-- much time has passed without a jump (elapsed_ms); see src/store/clock.ts.
CREATE TABLE clock (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  awake_ms INTEGER NOT NULL,
  elapsed_ms INTEGER NOT NULL,
  -- The wall clock when elapsed_ms was counted last.
  wall_at INTEGER
) STRICT;
INSERT INTO clock (id, awake_ms, elapsed_ms) VALUES (1, 0, 0);

-- All events up to event_seq were there when elapsed_ms had passed.
CREATE TABLE clock_marks (
  elapsed_ms INTEGER PRIMARY KEY,
  event_seq INTEGER NOT NULL
) STRICT;
`;
