/** What is stored about one person is found without reading everything. */
export const erasure = `
CREATE INDEX events_by_machine ON events (machine) WHERE machine IS NOT NULL;
CREATE INDEX sessions_by_machine ON sessions (machine) WHERE machine IS NOT NULL;
CREATE INDEX waits_by_machine ON waits (machine) WHERE machine IS NOT NULL;
CREATE INDEX deliveries_by_recipient ON deliveries (recipient) WHERE recipient IS NOT NULL;
`;
