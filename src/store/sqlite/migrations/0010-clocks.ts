/**
 * Clocks that a wrong wall clock cannot move: how long a daemon has run while deliveries waited (`awake_ms`), and how
 * much time has passed without a jump (`elapsed_ms`); see src/store/clock.ts.
 */
export const clocks = `
CREATE TABLE clock (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  awake_ms INTEGER NOT NULL,
  elapsed_ms INTEGER NOT NULL,
  -- The wall clock when elapsed_ms was counted last.
  wall_at INTEGER
) STRICT;
-- The history so far has only its own times to go by.
INSERT INTO clock SELECT 1, 0, coalesce(max(received_at), 0), max(received_at) FROM events;

-- All events up to event_seq were there when elapsed_ms had passed.
CREATE TABLE clock_marks (
  elapsed_ms INTEGER PRIMARY KEY,
  event_seq INTEGER NOT NULL
) STRICT;
INSERT OR REPLACE INTO clock_marks
SELECT max(received_at), max(seq) FROM events GROUP BY received_at / 86400000;

-- Failed attempts that count against max_attempts.
ALTER TABLE deliveries ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
-- awake_ms when it went into the outbox.
ALTER TABLE deliveries ADD COLUMN released_awake_ms INTEGER NOT NULL DEFAULT 0;
-- elapsed_ms when it became a dead letter.
ALTER TABLE deliveries ADD COLUMN dead_elapsed_ms INTEGER;
-- How long the channel has been missing from the configuration while something waited for it.
ALTER TABLE channel_states ADD COLUMN missing_ms INTEGER NOT NULL DEFAULT 0;
`;
