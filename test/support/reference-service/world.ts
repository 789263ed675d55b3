import { type StoredComputer, createComputers, INSTALL_STEP } from './data/computers-data.ts';
import { type StoredRevision, createControls } from './data/controls-data.ts';
import { createReports, type StoredReport } from './data/readiness-data.ts';
import { addMessageTo, createSessions, type StoredSession } from './data/sessions-data.ts';
import { createLedger, type Ledger, SPIKE_DAY } from './data/telemetry.ts';
import { createPeople, type StoredPerson } from './data/users.ts';
import { createKeyRing, type KeyRing, type MockKeys } from './keys.ts';
import { randomFor } from './random.ts';

/** How long a requested installation takes. */
const INSTALL_MS = 30_000;

/** Applies what was due by `now`: sessions begin and end their work, installations end. */
export function advanceWorld(world: World, now: number): void {
  for (const session of world.sessions) refreshSession(world.seed, session, now);
  for (const computer of world.computers) refreshComputer(computer, now);
}

function refreshSession(seed: number, session: StoredSession, now: number): void {
  for (let next = session.coming[0]; next !== undefined && next.at <= now;) {
    const { at, status } = next;
    session.status = status;
    session.updatedAt = at;
    if (status === 'pending') {
      delete session.completedAt;
      const user = { role: 'user', text: 'Go on', userMessageSource: 'web' } as const;
      addMessageTo(session, { seed, at, ...user });
    }
    if (status === 'idle') {
      session.completedAt = at;
      addMessageTo(session, { seed, at, role: 'assistant', text: 'Done' });
    }
    session.coming.shift();
    next = session.coming[0];
  }
}

function refreshComputer(computer: StoredComputer, now: number): void {
  const step = computer.provisioningSteps?.find(({ name }) => name === INSTALL_STEP);
  if (step?.startedAt === undefined || step.status !== 'installing') return;
  if (step.startedAt + INSTALL_MS > now) return;
  step.status = 'done';
  step.completedAt = step.startedAt + INSTALL_MS;
  computer.status = 'active';
}

/** Everything the service knows; requests and the clock change it, a reset makes a new one. */
export interface World {
  readonly seed: number;
  readonly organizationId: string;
  readonly people: readonly StoredPerson[];
  readonly ledger: Ledger;
  /** Days on which one person uses far more credits than ever; scenarios add to it. */
  readonly spikes: Set<string>;
  readonly sessions: readonly StoredSession[];
  readonly computers: readonly StoredComputer[];
  readonly reports: StoredReport[];
  readonly controls: StoredRevision[];
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
