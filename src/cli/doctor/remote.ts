import type { StatusView } from '../../control/contract.ts';
import { HookbellError } from '../../platform/errors.ts';
import { type Check, defineGuide, orTrouble } from './check.ts';
import type { DoctorPorts } from './ports.ts';

export const relayGuide = defineGuide({
  name: 'relay',
  about: 'Whether the machine to which this one forwards events is reachable and accepts its token',
  troubles: {
    unreachable: {
      state: 'problem',
      meaning: 'Events wait here until the other machine accepts them',
      remedy:
        'Check that the other machine listens ("hookbell remote listen" there) and is reachable from here; "hookbell remote pair --to ADDRESS" sets a new token',
    },
    unasked: { state: 'warning', meaning: 'The daemon did not answer in time', remedy: null },
  },
});

export const listenGuide = defineGuide({
  name: 'listen',
  about: 'Whether other machines can send their events here',
  troubles: {
    closed: {
      state: 'problem',
      meaning: 'The daemon could not open the configured address or socket',
      remedy: 'Check "listen" in the configuration',
    },
    alone: {
      state: 'warning',
      meaning: 'It listens, but no machine may send events',
      remedy: 'Run: hookbell remote pair NAME',
    },
    uninvited: {
      state: 'warning',
      meaning: 'It is a hub, but no machine has joined it',
      remedy: 'Run: hookbell hub invite ADDRESS',
    },
  },
});

/** A hung request times out after a minute. */
const PATIENCE_MS = 70_000;

/** Checks that the machine this one relays to is reachable and accepts its token. Waiting events are not lost. */
export async function checkRelay(
  { relay }: StatusView,
  { ask }: Pick<DoctorPorts, 'ask'>,
): Promise<Check> {
  if (relay === null) return relayGuide.ok('off: no events are forwarded to another machine');
  const link = await orTrouble(ask('GET /v1/relay', { timeoutMs: PATIENCE_MS }));
  if (link instanceof HookbellError) {
    return { ...relayGuide.found('unasked', link.message), hint: link.hint };
  }
  const waiting = relay.waiting === 0 ? '' : `, ${relay.waiting} events wait`;
  if (link?.ok === true) return relayGuide.ok(`${link.summary}${waiting}`);
  const why = link?.summary ?? 'it is switched off';
  const summary = `cannot forward events to ${relay.to}: ${why}${waiting}`;
  return relayGuide.found('unreachable', summary);
}

/** Checks whether other machines can send events. */
export function checkListen(
  { listen }: StatusView,
  { hub }: { readonly hub: object | null } = { hub: null },
): Check {
  if (listen === null) return listenGuide.ok('off: other machines cannot send events here');
  if (listen.problem !== null) {
    return listenGuide.found('closed', listen.problem);
  }
  const places = listen.addresses.join(', ');
  if (listen.machines.length === 0) {
    return hub !== null
      ? listenGuide.found('uninvited', `on ${places}, but no machine has joined the hub`)
      : listenGuide.found('alone', `on ${places}, but no machine is paired`);
  }
  return listenGuide.ok(
    `on ${places}, for ${listen.machines.map(({ name: one }) => one).join(', ')}`,
  );
}
