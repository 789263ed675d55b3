import type { StatusView } from '../../control/contract.ts';
import type { Check, CheckGuide } from './check.ts';
import { found, ok } from './check.ts';
import type { DaemonSight } from './daemon.ts';
import type { DoctorPorts } from './ports.ts';

export const spoolGuide = {
  name: 'spool',
  about: 'Whether events from hooks reach the daemon',
  troubles: {
    waiting: {
      state: 'warning',
      meaning: 'Events arrived while no daemon was running; it reads them when it starts',
      remedy: 'Run "hookbell start"',
    },
    stuck: {
      state: 'problem',
      meaning:
        'The daemon is running but does not read the spool, for example because the disk is full',
      remedy: 'See the log: {log}',
    },
  },
} as const satisfies CheckGuide;
const { name, troubles } = spoolGuide;

export const quarantineGuide = {
  name: 'quarantine',
  about: 'Whether something arrived that is not an event',
  troubles: {
    some: {
      state: 'warning',
      meaning: 'A hook received an empty or unreadable payload; it did not notify you',
      remedy: 'Inspect them in {directory}, then remove them',
    },
  },
} as const satisfies CheckGuide;
const LOOKS = 4;
const BETWEEN_MS = 500;

/** Checks that events reach the daemon from the spool. New ones may take a moment. */
export async function checkSpool(
  { status }: DaemonSight,
  { ask, wait, namesIn, paths }: Pick<DoctorPorts, 'ask' | 'wait' | 'namesIn' | 'paths'>,
): Promise<Check> {
  if (status === null) {
    const waiting = (await namesIn(paths.spool)).length;
    if (waiting === 0) return ok(name, 'empty');
    return found(name, troubles.waiting, `${events(waiting)} for the daemon`);
  }
  let { pending } = status.spool;
  for (let look = 1; look < LOOKS && pending > 0; look += 1) {
    await wait(BETWEEN_MS);
    pending = (await ask('GET /v1/status')).spool.pending;
  }
  if (pending === 0) return ok(name, 'drained');
  const summary = `${events(pending)} and the daemon does not read them`;
  return found(name, troubles.stuck, summary, { log: paths.log });
}

function events(count: number): string {
  return count === 1 ? '1 event waits' : `${count} events wait`;
}

/** Envelopes that could not become events. */
export async function checkQuarantine(
  { spool }: StatusView,
  { ask, paths }: Pick<DoctorPorts, 'ask' | 'paths'>,
): Promise<Check> {
  const { quarantined } = spool;
  if (quarantined === 0) return ok(quarantineGuide.name, 'empty');
  const [latest] = await ask('GET /v1/quarantine', { query: { limit: '1' } });
  const why = latest === undefined ? '' : `, the last one as "${latest.reason}": ${latest.detail}`;
  const { name: quarantine, troubles: unreadable } = quarantineGuide;
  const summary = `${quarantined} unreadable${why}`;
  return found(quarantine, unreadable.some, summary, { directory: paths.quarantine });
}
