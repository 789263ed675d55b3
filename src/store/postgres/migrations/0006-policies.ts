/** What a hub forbids its machines: the latest row is in force, the earlier ones say what was. */
export const policies = `
CREATE TABLE policies (
  -- When it was set, by the clock of the database, Unix ms.
  version bigint PRIMARY KEY,
  -- JSON.
  body text NOT NULL
);
CREATE TRIGGER policies_change AFTER INSERT ON policies
  FOR EACH STATEMENT EXECUTE FUNCTION change_directory();
`;
