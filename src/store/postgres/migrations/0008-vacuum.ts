/** Old events are removed all the time: what they leave is used again before a fifth of a large table is unused. */
export const vacuum = `
ALTER TABLE events SET (autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE payloads SET (autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE attempts SET (autovacuum_vacuum_scale_factor = 0.02);
`;
