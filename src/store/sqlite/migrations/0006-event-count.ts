/** Counts events once per commit: the trigger took as long as the insertion itself. */
export const eventCount = `
DROP TRIGGER count_event;
INSERT INTO counters VALUES ('event', '', 0) ON CONFLICT DO NOTHING;
`;
