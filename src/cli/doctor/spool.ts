import type { StatusView } from '../../core/control.ts';
import type { Check } from './check.ts';
import { ok, problem, warning } from './check.ts';
import type { DaemonSight } from './daemon.ts';
import type { DoctorPorts } from './ports.ts';

const name = 'spool';
const LOOKS = 4;
const BETWEEN_MS = 500;

/** Whether events get from the spool into the daemon. What came in just now may take a moment. */
export async function checkSpool(
  { status }: DaemonSight,
  { ask, wait, namesIn, paths }: Pick<DoctorPorts, 'ask' | 'wait' | 'namesIn' | 'paths'>,
): Promise<Check> {
  if (status === null) {
    const waiting = (await namesIn(paths.spool)).length;
    if (waiting === 0) return ok(name, 'empty');
    return warning(name, `${events(waiting)} for the daemon`, 'Run "hookbell start"');
  }
  let { pending } = status.spool;
  for (let look = 1; look < LOOKS && pending > 0; look += 1) {
    await wait(BETWEEN_MS);
    pending = (await ask('GET /v1/status')).spool.pending;
  }
  if (pending === 0) return ok(name, 'drained');
  return problem(
    name,
    `${events(pending)} and the daemon does not take them`,
    `The log says why: ${paths.log}`,
  );
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
  if (quarantined === 0) return ok('quarantine', 'empty');
  const [latest] = await ask('GET /v1/quarantine', { query: { limit: '1' } });
  const why = latest === undefined ? '' : `, the last one as "${latest.reason}": ${latest.detail}`;
  return warning(
    'quarantine',
    `${quarantined} unreadable${why}`,
    `Look at them in ${paths.quarantine}, then remove them`,
  );
}
