import { z } from 'zod';

import { textAs } from '../config/units.ts';
import type { AuditParty } from '../core/hub/audit.ts';
import { emailAddress } from '../core/hub/directory.ts';
import type { HubStore } from '../core/hub/hub-store.ts';
import { EnrolBody, ME, MeAnswer, MeRequest } from '../core/hub/machine-requests.ts';
import { MachinePolicy, type PolicyInForce } from '../core/hub/machine-policy.ts';
import { FailedError, NotFoundError, UsageError } from '../platform/errors.ts';
import { parseJson } from '../platform/json.ts';
import { isoOrNull, isoTime } from '../platform/time.ts';
import { displayLine } from '../text/sanitize.ts';
import { didYouMean } from '../text/suggest.ts';
import type { ControlRoutes } from './control-server.ts';
import type { PolicyView } from './contract-views.ts';
import type { HubControlAnswers } from './hub-contract.ts';
import { limitOf, parseBody } from './read-request.ts';
import { documentationPage } from '../text/documentation.ts';

const email = textAs(emailAddress, (text) => `is not an email address: ${text}`);
const label = z
  .string()
  .trim()
  .max(200)
  .nullish()
  .transform((text) => {
    // Nothing is left of a text that cannot be shown.
    const shown = displayLine(text ?? '');
    return shown === '' ? null : shown;
  });
const person = z.strictObject({ email, name: label, team: label });
const source = z.enum(['csv', 'directory']);
const everyone = z.strictObject({ emails: z.array(email).min(1).max(100_000), source });

/** The body of each request that changes something, or has too much for a query. */
export const hubBodies = {
  'POST /v1/hub-policy': MachinePolicy,
  'POST /v1/hub-invite': person,
  'POST /v1/hub-revoke': z.strictObject({ what: z.string().min(1).max(300) }),
  'POST /v1/hub-import': z.strictObject({ people: z.array(person).max(100_000), source }),
  'POST /v1/hub-missing': everyone,
  'POST /v1/hub-prune': everyone.extend({ shown: z.array(email).max(100_000) }),
  'POST /v1/hub-forget': z.strictObject({ email }),
} satisfies Record<Extract<keyof HubControlAnswers, `POST ${string}`>, z.ZodType>;

/** What the administrators of a hub act on. */
export interface HubDesk {
  readonly store: HubStore;
  readonly url: () => string;
  readonly expireAfterMs: () => number;
  /** A new one-time code, and what is stored of it. */
  readonly makeCode: () => { readonly code: string; readonly codeHash: string };
  /** Channel types that a policy can name. */
  readonly channelTypes: readonly string[];
  /** What an administrator should know, as sentences. */
  readonly warnings: () => readonly string[];
  /** The user of the control socket. */
  readonly actor: AuditParty;
}

/** The requests of a hub's administrators. */
export function hubRoutes(hub: HubDesk | null) {
  function desk(): HubDesk {
    if (hub !== null) return hub;
    throw new FailedError('The daemon on this machine is not a hub', {
      hint: `Run the command where the hub runs. To set one up: ${documentationPage('docs/hub.md')}`,
    });
  }
  /** Only a whole name: the store leaves NUL out of texts, so another one could mean a machine that was not named. */
  async function revokeMachine(name: string) {
    const { store, actor } = desk();
    const isName = EnrolBody.shape.machine.safeParse(name).success;
    return isName ? store.revokeMachine({ name, actor }) : null;
  }

  return {
    'GET /v1/hub': async () => {
      const { dueSince, ...state } = await desk().store.state();
      const { url, warnings } = desk();
      return { url: url(), ...state, dueSince: isoOrNull(dueSince), warnings: warnings() };
    },
    'GET /v1/hub-policy': async () => {
      const found = await desk().store.policy();
      return found === null ? null : policyView(found);
    },
    'POST /v1/hub-policy': async ({ body }) => {
      const policy = parseBody(hubBodies['POST /v1/hub-policy'], body);
      const { store, actor, channelTypes } = desk();
      const missing = policy.channels?.find((type) => !channelTypes.includes(type));
      if (missing !== undefined) {
        throw new UsageError(
          `No channel has the type "${missing}"${didYouMean(missing, channelTypes)}`,
          { hint: `Use types of ${channelTypes.join(', ')}` },
        );
      }
      return policyView(await store.setPolicy({ policy, actor }));
    },
    'GET /v1/hub-people': async () =>
      (await desk().store.people()).map((found) => ({
        ...found,
        addedAt: isoTime(found.addedAt),
        removedAt: isoOrNull(found.removedAt),
      })),
    'GET /v1/hub-machines': async () =>
      (await desk().store.machines()).map((found) => ({
        ...found,
        enrolledAt: isoTime(found.enrolledAt),
        heardAt: isoOrNull(found.heardAt),
        revokedAt: isoOrNull(found.revokedAt),
      })),
    'POST /v1/hub-invite': async ({ body }) => {
      const wanted = parseBody(hubBodies['POST /v1/hub-invite'], body);
      const { store, actor, expireAfterMs, url, makeCode } = desk();
      const { code, codeHash } = makeCode();
      const expiresAt = await store.invite({
        ...wanted,
        codeHash,
        expireAfterMs: expireAfterMs(),
        actor,
      });
      return { email: wanted.email, code, url: url(), expiresAt: isoTime(expiresAt) };
    },
    'POST /v1/hub-revoke': async ({ body }) => {
      const { what } = parseBody(hubBodies['POST /v1/hub-revoke'], body);
      const address = emailAddress(what);
      const revoked =
        address === null
          ? await revokeMachine(what)
          : await desk().store.removePerson({ email: address, actor: desk().actor });
      if (revoked === null) {
        throw unknown(address === null ? 'machine that may send' : 'person of the hub', what);
      }
      return { type: address === null ? 'machine' : 'person', ...revoked };
    },
    'POST /v1/hub-import': async ({ body }) => {
      const { store, actor } = desk();
      return store.importPeople({ ...parseBody(hubBodies['POST /v1/hub-import'], body), actor });
    },
    'POST /v1/hub-missing': ({ body }) =>
      desk().store.missingPeople(parseBody(hubBodies['POST /v1/hub-missing'], body)),
    'POST /v1/hub-prune': async ({ body }) => {
      const request = parseBody(hubBodies['POST /v1/hub-prune'], body);
      const { store, actor } = desk();
      const pruned = await store.prunePeople({ ...request, actor });
      if (pruned.type === 'pruned') return { removed: pruned.removed };
      throw new FailedError(
        `More people are gone than were shown (${pruned.count}), because someone else changed the people of the hub`,
        { hint: 'No one was removed. Run the command again' },
      );
    },
    'GET /v1/hub-forget': async ({ query }) => {
      const { email: address } = parseBody(hubBodies['POST /v1/hub-forget'], {
        email: query.get('email') ?? '',
      });
      const found = await desk().store.toForget(address);
      if (found === null) throw unknown('person of the hub', address);
      return found;
    },
    'POST /v1/hub-forget': async ({ body }) => {
      const { email: address } = parseBody(hubBodies['POST /v1/hub-forget'], body);
      const { store, actor } = desk();
      const forgotten = await store.forgetPerson({ email: address, actor });
      if (forgotten === null) throw unknown('person of the hub', address);
      return forgotten;
    },
    'GET /v1/hub-audit': async ({ query }) =>
      (await desk().store.audit(limitOf(query))).map(({ at, detail, ...row }) => ({
        ...row,
        at: isoTime(at),
        detail: parseJson(detail),
      })),
    'GET /v1/hub-verify': ({ query }) => desk().store.verifyAudit(query.get('expect')),
  } satisfies Pick<ControlRoutes, keyof HubControlAnswers>;
}

function policyView({ version, policy }: PolicyInForce): PolicyView {
  return { ...MachinePolicy.safeParse(policy).data, setAt: isoTime(version) };
}

function unknown(what: string, name: string): NotFoundError {
  return new NotFoundError(`No ${what} is called "${displayLine(name)}"`, {
    hint: 'Run "hookbell hub people" or "hookbell hub machines" to see which are',
  });
}

/** The outcome of a request to the hub; a reason ends a sentence. */
export type AskHub = (
  path: string,
  body: object,
) => Promise<
  | { readonly type: 'ok'; readonly answer: unknown }
  | { readonly type: 'clock'; readonly aheadMs: number }
  | {
      readonly type: 'unreachable' | 'refused' | 'later' | 'misunderstood';
      readonly reason: string;
    }
  | null
>;

/** What the person at this machine sets at the hub that it belongs to. */
export function meRoute(askHub: AskHub) {
  return {
    'POST /v1/me': async ({ body }) => {
      const reply = await askHub(ME, parseBody(MeRequest, body));
      if (reply === null) {
        throw new FailedError('This machine belongs to no hub, which would store your settings', {
          hint: 'Ask the administrator of your hub for an invitation, and run "hookbell join"',
        });
      }
      if (reply.type === 'clock') {
        throw new FailedError('Cannot ask the hub: the clock of this machine is wrong', {
          hint: 'Set the clock of this machine',
        });
      }
      if (reply.type !== 'ok') {
        throw new FailedError(`Cannot ask the hub: ${reply.reason}`, {
          hint: 'Run "hookbell doctor" to check the connection; only a hub stores personal settings',
        });
      }
      const answer = MeAnswer.safeParse(reply.answer);
      if (!answer.success) {
        throw new FailedError(
          'Cannot read the answer of the hub: hookbell on this machine may be older',
        );
      }
      if (answer.data.type === 'refused') throw new FailedError(answer.data.reason);
      return answer.data.me;
    },
  } satisfies Partial<ControlRoutes>;
}
