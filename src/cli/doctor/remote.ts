import type { StatusView } from '../../core/control.ts';
import { HookbellError } from '../../core/errors.ts';
import type { Check } from './check.ts';
import { ok, problem, warning } from './check.ts';
import type { DoctorPorts } from './ports.ts';

/** A request that hangs is given up after a minute. */
const PATIENCE_MS = 70_000;

/** Whether the machine this one relays to is there and takes its token. What waits meanwhile is not lost. */
export async function checkRelay(
  { relay }: StatusView,
  { ask }: Pick<DoctorPorts, 'ask'>,
): Promise<Check> {
  const name = 'relay';
  if (relay === null) return ok(name, 'off: nothing is handed on to another machine');
  try {
    const link = await ask('GET /v1/relay', { timeoutMs: PATIENCE_MS });
    const waiting = relay.waiting === 0 ? '' : `, ${relay.waiting} events wait`;
    if (link?.ok === true) return ok(name, `${link.summary}${waiting}`);
    return problem(
      name,
      `cannot hand events on to ${relay.to}: ${link?.summary ?? 'it is switched off'}${waiting}`,
      'Check that the other machine listens ("hookbell listen" there) and is reached from here; "hookbell pair --to" takes a new token',
    );
  } catch (error) {
    if (!(error instanceof HookbellError)) throw error;
    return warning(name, error.message, error.hint);
  }
}

/** Whether other machines can hand events in. */
export function checkListen({ listen }: StatusView): Check {
  const name = 'listen';
  if (listen === null) return ok(name, 'off: other machines cannot hand events in');
  if (listen.problem !== null) {
    return problem(name, listen.problem, 'Look at "listen" in the configuration');
  }
  const places = listen.addresses.join(', ');
  if (listen.machines.length === 0) {
    return warning(name, `on ${places}, but no machine is paired`, 'Run: hookbell pair NAME');
  }
  return ok(name, `on ${places}, for ${listen.machines.map(({ name: one }) => one).join(', ')}`);
}
