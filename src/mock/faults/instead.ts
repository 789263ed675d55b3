import type { Refusal } from '../answer.ts';
import { refuse } from '../answer.ts';
import type { Outgoing } from '../http/outgoing.ts';
import { outgoing } from '../http/outgoing.ts';
import type { Effect, Instead, When } from './effects.ts';
import { isInstead } from './groups.ts';
import { retryAfterHeader } from './retry-after.ts';
import { HTML } from './spoil.ts';

/** The first effect that takes the place of the answer at one of the two moments. */
export function insteadAt(effects: readonly Effect[], when: When): Instead | undefined {
  return effects
    .filter(isInstead)
    .find((effect) => (effect.kind === 'redirect' ? 'before' : (effect.when ?? 'before')) === when);
}

/** @param ownError makes an error as the service itself would */
export function insteadAnswer(
  effect: Extract<Instead, { kind: 'status' | 'redirect' }>,
  now: number,
  ownError: (refusal: Refusal) => Outgoing,
): Outgoing {
  if (effect.kind === 'redirect') {
    return outgoing(effect.status ?? 302, { location: effect.to });
  }
  const { status, body = 'own', retryAfter, headers } = effect;
  const answer = statusAnswer(status, body, ownError);
  const wait =
    retryAfter === undefined ? {} : retryAfterHeader(retryAfter.form, retryAfter.seconds, now);
  return { ...answer, headers: { ...answer.headers, ...wait, ...headers } };
}

function statusAnswer(
  status: number,
  body: 'own' | 'html' | 'nothing',
  ownError: (refusal: Refusal) => Outgoing,
): Outgoing {
  if (body === 'html') return outgoing(status, { 'content-type': 'text/html' }, HTML);
  if (body === 'nothing') return outgoing(status, {});
  return ownError(refuse(status, `The fault asked for status ${status}`));
}
