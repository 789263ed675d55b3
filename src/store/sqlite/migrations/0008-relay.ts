/** Events of other machines, and events to relay to another one. */
export const relay = `
ALTER TABLE events ADD COLUMN machine TEXT;
ALTER TABLE sessions ADD COLUMN machine TEXT;
CREATE INDEX sessions_elsewhere ON sessions (session_id) WHERE machine IS NOT NULL;
CREATE TABLE relay_outbox (
  event_seq INTEGER PRIMARY KEY REFERENCES events (seq) ON DELETE CASCADE
) STRICT;
`;
