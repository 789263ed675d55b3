/** What was found out about sessions besides their events, and turns that ended although their session still runs. */
export const lookedUp = `
ALTER TABLE sessions ADD COLUMN looked_up TEXT;
ALTER TABLE deliveries ADD COLUMN still_running INTEGER NOT NULL DEFAULT 0;
`;
