/** Requests that wait for an answer from elsewhere, and the record of each answer. Neither their text nor the words of an answer. */
export const questions = `
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
`;
