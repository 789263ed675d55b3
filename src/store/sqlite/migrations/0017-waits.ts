/**
 * A row for each time a session waited for a person. It refers to its event by id only, because it stays when the event
 * is removed.
 */
export const waits = `
CREATE TABLE waits (
  seq INTEGER PRIMARY KEY,
  event_id TEXT NOT NULL,
  session_key TEXT NOT NULL,
  machine TEXT,
  agent TEXT NOT NULL,
  project TEXT,
  kind TEXT NOT NULL,
  since INTEGER NOT NULL,
  until INTEGER,
  ending TEXT,
  via TEXT,
  -- Computed after the end.
  day TEXT,
  waited_ms INTEGER,
  working_ms INTEGER,
  gap_ms INTEGER,
  channel TEXT,
  step INTEGER,
  returned_ms INTEGER
) STRICT;
CREATE UNIQUE INDEX waits_open ON waits (session_key) WHERE until IS NULL;
CREATE INDEX waits_by_end ON waits (until) WHERE until IS NOT NULL;
CREATE INDEX waits_unmeasured ON waits (until) WHERE until IS NOT NULL AND day IS NULL;
-- Reports read only this index, in its order, so that a year of waits needs neither the rows nor sorting.
CREATE INDEX waits_measured ON waits (
  day, kind, agent, project, machine, ending, channel, step, since, waited_ms, working_ms, gap_ms, returned_ms
) WHERE day IS NOT NULL;

CREATE TABLE waiting_gaps (
  seq INTEGER PRIMARY KEY,
  begins INTEGER NOT NULL,
  ends INTEGER NOT NULL,
  cause TEXT NOT NULL
) STRICT;
CREATE INDEX waiting_gaps_by_end ON waiting_gaps (ends);
`;
