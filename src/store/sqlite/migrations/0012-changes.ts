/** File changes by tools in the turn of a session, as JSON (`core/hook-event.ts`). */
export const changes = `
ALTER TABLE sessions ADD COLUMN changes TEXT;
`;
