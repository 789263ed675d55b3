/** What the erasure of a person has removed so far, for the case that it is interrupted. */
export const erasures = `
CREATE TABLE erasures (
  person text COLLATE "C" PRIMARY KEY REFERENCES people (email) ON DELETE CASCADE,
  sessions bigint NOT NULL DEFAULT 0,
  events bigint NOT NULL DEFAULT 0,
  deliveries bigint NOT NULL DEFAULT 0,
  texts bigint NOT NULL DEFAULT 0
);
`;
