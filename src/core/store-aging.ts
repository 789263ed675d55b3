import type { SelfCheck } from './history.ts';
import type { DeliveryState } from './delivery.ts';
import type { SessionState } from './session.ts';

/**
 * A failed read or write of the store.
 *
 * - `full`: no space; the same call works again once there is room.
 * - `io`: the disk returned an error; the store has reopened itself, call again.
 * - `damaged`: the database was broken; the store has set it aside and created a new one, call again.
 * - `newer`: it was written by a newer hookbell.
 */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: 'full' | 'io' | 'damaged' | 'newer';

  constructor(code: StoreError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The number of migrations of this program's database, which the database states as its version. */
export const NEWEST_SCHEMA = 1;

/** The copy that is made before a database with this schema is migrated. */
export function savedDatabase(path: string, schema: number): string {
  return `${path}.schema-${schema}`;
}

/** @param name of a file beside the database `database`, as its name */
export function isSavedDatabase(name: string, database: string): boolean {
  return name.startsWith(`${database}.schema-`) && /\.schema-\d+$/.test(name);
}

/** Its file lies in `quarantine/`. */
export interface Quarantined {
  readonly id: string;
  readonly at: number;
  readonly reason: string;
  readonly detail: string;
  readonly bytes: number;
}

export interface QuarantineStore {
  add(entry: Quarantined): Promise<void>;
  list(limit: number): Promise<readonly Quarantined[]>;
}

export interface Counts {
  readonly events: number;
  readonly deliveries: Readonly<Record<DeliveryState, number>>;
  readonly sessions: Readonly<Record<SessionState, number>>;
}

/** The part of the store that checks it, counts time, and removes data that is too old; decision 19. */
export interface Upkeep {
  /** Counts time by the wall clock, without jumps: by it history ages. Returns the jump, ms. */
  countElapsedTime(now: number): Promise<number>;
  /**
   * Removes finished events older than `keepMs` (left out: none), by the time that `countElapsedTime` has counted, and the
   * oldest ones beyond `maxBytes`; returns how many. It ends when both limits hold, or when `signal` is aborted; until then
   * it works in small transactions that leave room for others. Events with unsent deliveries, with dead letters younger than
   * `keepMs`, and those a live alert is about stay. Sessions without a sign of life since `before` (Unix ms; null where the
   * wall clock cannot be trusted), old mutes and quarantine entries are removed too. The file shrinks to the limit.
   */
  prune(limits: {
    readonly keepMs?: number;
    readonly before: number | null;
    readonly maxBytes: number;
    readonly signal?: AbortSignal;
  }): Promise<number>;
  /** Finds events that are neither finished nor scheduled, which must not exist. */
  selfCheck(now: number): Promise<SelfCheck>;
  counts(): Promise<Counts>;
}
