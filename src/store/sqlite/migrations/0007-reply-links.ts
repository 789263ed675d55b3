/** Reply links; of a token only its hash. */
export const replyLinks = `
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
`;
