import { peopleTables } from '../../migrations/first-people.ts';
import { firstTables } from '../../migrations/first-tables.ts';
import { firstTriggers } from './first-triggers.ts';

const fileIndexes = `
CREATE INDEX events_by_session ON events (session_key);
CREATE INDEX events_by_agent ON events (agent);
CREATE INDEX events_suppressed ON events (suppressed) WHERE suppressed = 1;
CREATE INDEX events_suppressed_by_agent ON events (agent, suppressed) WHERE suppressed = 1;
-- A window starts at the first event of its key: repeats do not prolong it.
CREATE INDEX events_by_duplicate_key ON events (duplicate_key, at) WHERE duplicate_of IS NULL;
CREATE INDEX sessions_waiting ON sessions (state, state_since) WHERE state = 'waiting';
-- Finds the request that a finished call answers among those that a newer one replaced.
CREATE INDEX alerts_by_subject ON alerts (session_key, subject, opened_at) WHERE subject IS NOT NULL;
CREATE INDEX deliveries_by_turn ON deliveries (channel, session_key, turn, due_at)
  WHERE state IN ('pending', 'retrying') AND held_for IS NULL;
CREATE INDEX deliveries_next ON deliveries (channel, session_key) WHERE is_next = 1;
CREATE INDEX deliveries_ready ON deliveries (channel, ready_at) WHERE is_next = 1;
-- Reports read only this index, in its order, so that a year of waits needs neither the rows nor sorting.
CREATE INDEX waits_measured ON waits (
  day, kind, agent, project, machine, ending, channel, step, since, waited_ms, working_ms, gap_ms, returned_ms
) WHERE day IS NOT NULL;
CREATE INDEX waits_named ON waits (
  request, agent, project, ending, answer, since, waited_ms
) WHERE request IS NOT NULL;
`;

/**
 * All migrations in order. The database's `user_version` is the number of applied ones. The first one changes with the
 * program until it is released; a released one is never changed: add a new one.
 */
export const migrations: readonly string[] = [
  firstTables + peopleTables + fileIndexes + firstTriggers,
];
