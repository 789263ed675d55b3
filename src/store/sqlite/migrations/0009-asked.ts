/** The request a person decides, as JSON (`core/asked.ts`). */
export const asked = `
ALTER TABLE events ADD COLUMN asked TEXT;
`;
