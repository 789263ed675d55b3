/** When each process of a hub has last shown that it can write. */
export const heartbeats = `
CREATE TABLE heartbeats (
  process text PRIMARY KEY,
  at timestamptz NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
`;
