/** What each poller of the vendor's service has seen, so that the next process that polls goes on from there. */
export const pollerMemory = `
CREATE TABLE poller_memory (
  name text COLLATE "C" PRIMARY KEY,
  -- JSON.
  body text NOT NULL,
  written_at bigint NOT NULL
);
`;
