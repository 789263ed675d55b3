/** Looked-up details of sessions, and ended turns whose session still runs. */
export const lookedUp = `
ALTER TABLE sessions ADD COLUMN looked_up TEXT;
ALTER TABLE deliveries ADD COLUMN still_running INTEGER NOT NULL DEFAULT 0;
`;
