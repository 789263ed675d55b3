/** Counts the messages of a session within an hour from an index alone. */
export const traffic = `
DROP INDEX deliveries_released;
CREATE INDEX deliveries_released ON deliveries (channel, released_at, session_key) WHERE released_at IS NOT NULL;
`;
