import { isIPv6 } from 'node:net';

import type { HubStore } from '../core/hub/hub-store.ts';
import { EnrolBody } from '../core/hub/machine-requests.ts';
import type { Log } from '../platform/log.ts';
import { answerJson, type OpenRoute } from '../relay/entrance.ts';
import { codeHash } from './code.ts';

/** Longer codes are invalid. */
const MOST_BYTES = 4_096;

export interface EnrolRouteOptions {
  readonly store: Pick<HubStore, 'mayEnrol' | 'enrol'>;
  /** Counts by outcome. */
  readonly count: (outcome: 'enrolled' | 'refused' | 'taken' | 'rate') => void;
  readonly log: Log;
}

/**
 * Redeems invitations. Unknown, used and expired codes get the same answer, and attempts are limited across all
 * processes.
 */
export function enrolRoute({ store, count, log }: EnrolRouteOptions): OpenRoute {
  return {
    mostBytes: MOST_BYTES,
    handle: (address, bytes) =>
      answerJson(bytes, EnrolBody, {
        async handle({ code, machine, key }) {
          const waitMs = await store.mayEnrol(networkOf(address));
          if (waitMs > 0) {
            count('rate');
            const retryAfterSeconds = Math.ceil(waitMs / 1_000);
            return { status: 429, body: { error: 'rate' }, retryAfterSeconds };
          }
          const enrolled = await store.enrol({ codeHash: codeHash(code), machine, key });
          count(enrolled.type);
          if (enrolled.type === 'refused') return { status: 403, body: { error: 'code' } };
          if (enrolled.type === 'taken') return { status: 409, body: { error: 'name' } };
          log.info({ machine }, 'Enrolled a machine');
          return { status: 200, body: { version: 1, machine, person: enrolled.person } };
        },
        onBusy: (err) => log.warn({ err }, 'Cannot enrol a machine yet'),
      }),
  };
}

/** The /64 network of an IPv6 address, because its holder has all of its addresses. */
function networkOf(address: string): string {
  const [, mapped] = /^::ffff:(\d+(?:\.\d+){3})$/i.exec(address) ?? [];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.split('::');
  const groups = head.split(':').filter((group) => group !== '');
  const last = tail === undefined ? [] : tail.split(':').filter((group) => group !== '');
  const zeros = Array.from({ length: Math.max(0, 8 - groups.length - last.length) }, () => '0');
  return `${[...groups, ...zeros, ...last].slice(0, 4).join(':')}::/64`;
}
