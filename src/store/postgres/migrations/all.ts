import { first } from './0001-first.ts';
import { triggers } from './0002-triggers.ts';

/** All migrations in order. A released one is never changed: add a new one. */
export const serverMigrations: readonly string[] = [first, triggers];
