/** What a session was told within the hour is counted without a look at any row. */
export const traffic = `
DROP INDEX deliveries_released;
CREATE INDEX deliveries_released ON deliveries (channel, released_at, session_key) WHERE released_at IS NOT NULL;
`;
