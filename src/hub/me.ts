import { setTimeout as delay } from 'node:timers/promises';

import type { HubStore } from '../core/hub/hub-store.ts';
import { ME, type MeAnswer, MeRequest, type MeView } from '../core/hub/machine-requests.ts';
import { readSettings } from '../core/hub/person-settings.ts';
import type { HeldDeliveries } from '../core/outbox.ts';
import type { MuteStore, Policy } from '../core/policy.ts';
import type { Log } from '../platform/log.ts';
import type { Clock } from '../platform/time.ts';
import { answerJson, malformedAnswer, type RelayRoutes, SMALL_BODY } from '../relay/entrance.ts';
import type { HubDirectory } from './directory.ts';

export interface MeRoutesOptions {
  readonly store: {
    readonly mutes: Pick<MuteStore, 'add' | 'remove' | 'active'>;
    readonly held: Pick<HeldDeliveries, 'reevaluateHeld'>;
  };
  readonly hubStore: Pick<HubStore, 'changeSettings' | 'person'>;
  readonly directory: Pick<HubDirectory, 'refresh' | 'person'>;
  readonly policy: () => Pick<Policy, 'personalChannels' | 'programChannels'>;
  readonly newId: () => string;
  readonly now: Clock;
  readonly log: Log;
  /** Deliveries may be due. */
  readonly wake: () => void;
}

/** The directory is reread at most a few times a second. */
const TRY_MS = 50;
const MOST_TRIES = 20;

/**
 * What people set for themselves, from their own machines. The person is the one whose machine has signed the request;
 * the body cannot name another.
 */
export function meRoutes(options: MeRoutesOptions): RelayRoutes {
  const { log } = options;
  return {
    [`POST ${ME}`]: {
      mostBytes: SMALL_BODY,
      handle: ({ machine, person }, body) =>
        answerJson(body, MeRequest, {
          handle: async (request) =>
            person === null
              ? malformedAnswer
              : { status: 200, body: await carryOut(person, request, options) },
          onBusy: (err) =>
            log.warn({ machine, err }, 'Cannot read or change the settings of a person'),
        }),
    },
  };
}

async function carryOut(
  email: string,
  request: MeRequest,
  options: MeRoutesOptions,
): Promise<MeAnswer> {
  const { store, hubStore, policy, newId, now, wake } = options;
  switch (request.type) {
    case 'show':
      break;
    case 'set': {
      const refusal = await change(email, request.settings, options);
      if (refusal !== null) return { type: 'refused', reason: refusal };
      break;
    }
    case 'mute': {
      const at = now();
      const until = request.forMs === null ? null : at + request.forMs;
      const all = { sessionKey: null, project: null, agent: null, channel: null, kind: null };
      // The latest mute replaces earlier ones, so that a shorter mute can replace a longer one.
      await store.mutes.remove({ person: email });
      const mute = { id: newId(), createdAt: at, until, ...all, person: email };
      await store.mutes.add(mute, policy().programChannels);
      // An erasure of the person that ran meanwhile may have missed it.
      if ((await hubStore.person(email)) === null) await store.mutes.remove({ person: email });
      wake();
      break;
    }
    case 'unmute':
      await store.mutes.remove({ person: email });
      wake();
      break;
  }
  return viewOf(email, options);
}

/** Returns why the settings cannot be changed, as a sentence; null: they are. */
async function change(
  email: string,
  settings: Extract<MeRequest, { type: 'set' }>['settings'],
  { store, hubStore, directory, policy, wake }: MeRoutesOptions,
): Promise<string | null> {
  const { personalChannels } = policy();
  const unknown = settings.channels?.find((name) => !personalChannels.includes(name));
  if (unknown !== undefined) {
    const known = personalChannels.length === 0 ? 'none' : personalChannels.join(', ');
    return `The hub has no channel "${unknown}" that writes to one person; it has ${known}`;
  }
  const actor = { type: 'person', email } as const;
  const isChanged = await hubStore.changeSettings({
    email,
    settings: JSON.stringify(settings),
    actor,
  });
  if (!isChanged) return `"${email}" is no longer a person of this hub`;
  await inForce(email, (await hubStore.person(email))?.settings, directory);
  // Notifications held by the previous quiet hours may be due now.
  await store.held.reevaluateHeld('quiet');
  wake();
  return null;
}

/** Waits until this process decides by these settings; another process of the hub does so within a second. */
async function inForce(
  email: string,
  settings: string | undefined,
  directory: MeRoutesOptions['directory'],
): Promise<void> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    await directory.refresh();
    if (directory.person(email)?.settings === settings) return;
    await delay(TRY_MS);
  }
}

async function viewOf(
  email: string,
  { store, hubStore, policy, now }: MeRoutesOptions,
): Promise<MeAnswer> {
  const person = await hubStore.person(email);
  if (person === null) {
    return { type: 'refused', reason: `"${email}" is no longer a person of this hub` };
  }
  const mutes = await store.mutes.active(now());
  const me: MeView = {
    person: email,
    team: person.team,
    settings: readSettings(person.settings),
    mutes: mutes.filter((mute) => mute.person === email).map(({ until }) => ({ until })),
    channels: [...policy().personalChannels],
  };
  return { type: 'me', me };
}
