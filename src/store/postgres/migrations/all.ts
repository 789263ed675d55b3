import { channelLimits, hubTables } from './first-hub.ts';
import { serverPeopleTables } from './first-people.ts';
import { serverTables } from './first-tables.ts';
import { serverTriggers } from './first-triggers.ts';

/**
 * All migrations in order. The first one changes with the program until it is released; a released one is never changed:
 * add a new one.
 */
export const serverMigrations: readonly string[] = [
  [serverTables, serverPeopleTables, serverTriggers, hubTables, channelLimits].join(''),
];
