import type { StatusView } from '../../control/contract.ts';
import { HookbellError } from '../../platform/errors.ts';
import { countOf } from '../../text/count.ts';
import { type Check, defineGuide, orTrouble } from './check.ts';
import type { DoctorPorts } from './ports.ts';

export const relayGuide = defineGuide('relay', {
  unreachable: {
    state: 'problem',
    remedy:
      'Check that the other machine listens ("hookbell remote listen" there) and is reachable from here; "hookbell remote pair --to ADDRESS", or "hookbell join" for a hub, sets a new token',
  },
  unasked: { state: 'warning', remedy: null },
});

export const listenGuide = defineGuide('listen', {
  closed: { state: 'problem', remedy: 'Check "listen" in the configuration' },
  alone: { state: 'warning', remedy: 'Run: hookbell remote pair NAME' },
  uninvited: { state: 'warning', remedy: 'Run: hookbell hub invite ADDRESS' },
});

/** A hung request times out after a minute. */
const PATIENCE_MS = 70_000;

/** Checks that the machine this one relays to is reachable and accepts its token. Waiting events are not lost. */
export async function checkRelay({ relay }: StatusView, { ask }: DoctorPorts): Promise<Check> {
  if (relay === null) return relayGuide.ok('off: no events are forwarded to another machine');
  const link = await orTrouble(ask('GET /v1/relay', { timeoutMs: PATIENCE_MS }));
  if (link instanceof HookbellError)
    return relayGuide.found('unasked', link.message, {}, link.hint);
  const waiting = relay.waiting === 0 ? '' : `, ${relay.waiting} events wait`;
  if (link?.ok === true) return relayGuide.ok(`${link.summary}${waiting}`);
  const why = link?.summary ?? 'it is switched off';
  const summary = `cannot forward events to ${relay.to}: ${why}${waiting}`;
  return relayGuide.found('unreachable', summary);
}

/** A hub may have hundreds of machines. */
const MOST_NAMES = 10;

/** Checks whether other machines can send events. */
export async function checkListen(
  { listen }: StatusView,
  { hub }: { readonly hub: object | null },
  { ask }: DoctorPorts,
): Promise<Check> {
  if (listen === null) return listenGuide.ok('off: other machines cannot send events here');
  if (listen.problem !== null) return listenGuide.found('closed', listen.problem);
  const places = listen.addresses.join(', ');
  const all = hub === null ? listen.machines : await orTrouble(ask('GET /v1/hub-machines'));
  if (all instanceof HookbellError) return listenGuide.found('closed', all.message, {}, all.hint);
  const known = all.filter((machine) => !('revokedAt' in machine && machine.revokedAt !== null));
  const names = known.map(({ name }) => name).join(', ');
  const shown = known.length > MOST_NAMES ? countOf(known.length, 'machine') : names;
  if (known.length > 0) return listenGuide.ok(`on ${places}, for ${shown}`);
  return hub === null
    ? listenGuide.found('alone', `on ${places}, but no machine is paired`)
    : listenGuide.found('uninvited', `on ${places}, but no machine has joined the hub`);
}
