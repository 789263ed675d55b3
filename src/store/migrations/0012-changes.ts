/** File changes by tools in the turn of a session, as JSON (`core/file-change.ts`). */
export const changes = `
ALTER TABLE sessions ADD COLUMN changes TEXT;
`;
