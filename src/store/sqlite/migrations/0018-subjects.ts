/** Finds the request that a finished call answers among those that a newer one replaced. */
export const subjects = `
CREATE INDEX alerts_by_subject ON alerts (session_key, subject, opened_at) WHERE subject IS NOT NULL;
`;
