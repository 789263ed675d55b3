import { createLedger, type Ledger } from './analytics/ledger.ts';
import { type Computer, createComputers } from './data/computers.ts';
import { type ControlChange, createControls } from './data/controls.ts';
import { createReports, type Report } from './data/readiness.ts';
import { createSessions, type Session } from './data/sessions.ts';
import { SPIKE_DAY } from './data/telemetry.ts';
import { createPeople, type Person } from './data/users.ts';
import { createKeyRing, type KeyRing, type MockKeys } from './keys.ts';
import { randomFor } from './random.ts';

/** Everything the service knows; requests and the clock change it, a reset makes a new one. */
export interface World {
  readonly seed: number;
  readonly organizationId: string;
  readonly people: readonly Person[];
  readonly ledger: Ledger;
  /** Days on which one person burns far more than ever; scenarios add to it. */
  readonly spikes: Set<string>;
  readonly sessions: readonly Session[];
  readonly computers: readonly Computer[];
  readonly reports: Report[];
  readonly controls: ControlChange[];
  /** Credit limits by e-mail, in lower case. */
  readonly limits: Map<string, number>;
  readonly keyRing: KeyRing;
  readonly cursors: Cursors;
}

export function createWorld(options: {
  readonly seed: number;
  readonly now: number;
  readonly keys: MockKeys;
  readonly expiringUses: number;
}): World {
  const { seed, now, keys, expiringUses } = options;
  const people = createPeople(seed, now);
  const owner = people.find(({ role }) => role === 'owner');
  const computers = createComputers(seed, now, owner?.id ?? '');
  const spikes = new Set([SPIKE_DAY]);
  return {
    seed,
    organizationId: `org_${randomFor(seed, 'organization').hex(12)}`,
    people,
    ledger: createLedger(seed, people, spikes),
    spikes,
    sessions: createSessions(
      seed,
      now,
      computers.map(({ id }) => id),
    ),
    computers,
    reports: [...createReports(seed, now)],
    controls: [...createControls(seed, now, people)],
    limits: new Map(),
    keyRing: createKeyRing(keys, expiringUses),
    cursors: createCursors(),
  };
}

/**
 * The cursors given out so far. One that was never given out, or was given out for other parameters, is unknown: a
 * client that makes its own, or changes the question in the middle of a walk, is found out.
 */
interface Cursors {
  /** @param scope the question the cursor continues */
  issue(scope: string, cursor: string, position: number): void;
  positionOf(scope: string, cursor: string): number | undefined;
  /** All cursors of a question, oldest first. */
  issued(scope: string): readonly string[];
}

function createCursors(): Cursors {
  const known = new Map<string, Map<string, number>>();
  return {
    issue(scope, cursor, position) {
      const positions = known.get(scope) ?? new Map<string, number>();
      positions.set(cursor, position);
      known.set(scope, positions);
    },
    positionOf: (scope, cursor) => known.get(scope)?.get(cursor),
    issued: (scope) => [...(known.get(scope)?.keys() ?? [])],
  };
}
