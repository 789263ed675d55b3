/** What each process of a hub is configured with, as hashes, so that the others notice when it differs. */
export const processConfigs = `
CREATE TABLE process_configs (
  -- Its application_name.
  process text PRIMARY KEY,
  host text NOT NULL,
  -- Of hookbell: the defaults of another one may be others.
  program text NOT NULL,
  -- JSON: a hash by the name of the section.
  hashes text NOT NULL
);
`;
