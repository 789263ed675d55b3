import { peopleTables } from './first-people.ts';
import { firstTables } from './first-tables.ts';
import { firstTriggers } from './first-triggers.ts';

/**
 * All migrations in order. The database's `user_version` is the number of applied ones. The first one changes with the
 * program until it is released; a released one is never changed: add a new one.
 */
export const migrations: readonly string[] = [firstTables + peopleTables + firstTriggers];
