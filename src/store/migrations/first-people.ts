/** The tables of what people do about waiting sessions, and of how long those waited; like the others, for both databases. */
export const peopleTables = `
CREATE TABLE mutes (
  id TEXT PRIMARY KEY,
  created_at INTEGER NOT NULL,
  until INTEGER,
  session_key TEXT,
  project TEXT,
  agent TEXT,
  channel TEXT,
  kind TEXT,
  -- Of a hub, whose mute it is.
  person TEXT
) STRICT;
CREATE INDEX mutes_by_end ON mutes (until);

-- Of a token only its hash.
CREATE TABLE reply_links (
  token_hash TEXT PRIMARY KEY,
  event_id TEXT NOT NULL REFERENCES events (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER,
  outcome TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX reply_links_by_event ON reply_links (event_id);
CREATE INDEX reply_links_by_end ON reply_links (expires_at);

-- Requests that wait for an answer from elsewhere, and the record of each answer: neither their text nor the words of an
-- answer.
CREATE TABLE questions (
  id TEXT PRIMARY KEY REFERENCES events (id) ON DELETE CASCADE,
  session_key TEXT NOT NULL,
  agent TEXT NOT NULL,
  agent_id TEXT,
  tool TEXT,
  request_hash TEXT NOT NULL,
  call_hash TEXT,
  hold TEXT NOT NULL,
  choices TEXT NOT NULL,
  state TEXT NOT NULL,
  opened_at INTEGER NOT NULL,
  deadline INTEGER NOT NULL,
  choice TEXT,
  answered_by TEXT,
  answered_via TEXT,
  answered_at INTEGER,
  closed_at INTEGER,
  reason TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX questions_by_time ON questions (opened_at);
CREATE INDEX questions_open ON questions (state) WHERE state = 'held';

-- A row for each time a session waited for a person. It refers to its event by id only, because it stays when the event
-- is removed.
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
  -- What a person answered, if that is known.
  answer TEXT,
  -- What a request is an instance of, in JSON, once a report has asked for it.
  request TEXT,
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
CREATE INDEX waits_unnamed ON waits (day)
  WHERE day IS NOT NULL AND request IS NULL AND kind IN ('needs.permission', 'needs.input') AND machine IS NULL;

CREATE TABLE waiting_gaps (
  seq INTEGER PRIMARY KEY,
  begins INTEGER NOT NULL,
  ends INTEGER NOT NULL,
  cause TEXT NOT NULL
) STRICT;
CREATE INDEX waiting_gaps_by_end ON waiting_gaps (ends);
`;
