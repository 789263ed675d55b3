/** What a person is to decide, as JSON (`core/asked.ts`). */
export const asked = `
ALTER TABLE events ADD COLUMN asked TEXT;
`;
