import type { Ledger } from './analytics/ledger.ts';
import { createLedger } from './analytics/ledger.ts';
import type { Cursors } from './cursors.ts';
import { createCursors } from './cursors.ts';
import type { Computer } from './data/computers.ts';
import { createComputers } from './data/computers.ts';
import type { ControlChange } from './data/controls.ts';
import { createControls } from './data/controls.ts';
import type { Report } from './data/readiness.ts';
import { createReports } from './data/readiness.ts';
import type { Session } from './data/sessions.ts';
import { createSessions } from './data/sessions.ts';
import { SPIKE_DAY } from './data/telemetry.ts';
import type { Person } from './data/users.ts';
import { createPeople } from './data/users.ts';
import type { KeyRing, MockKeys } from './keys.ts';
import { createKeyRing } from './keys.ts';
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
