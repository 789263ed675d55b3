import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

import type { Answer } from '../answer.ts';
import { refuse } from '../answer.ts';
import type { Effect } from '../faults/effects.ts';
import { effectsOf } from '../faults/header.ts';
import { insteadAt } from '../faults/instead.ts';
import { knobsOf } from '../faults/knobs-of.ts';
import type { Address, Found } from './find-route.ts';
import { findRoute } from './find-route.ts';
import { readBody, targetOf } from './read-request.ts';
import type { LoggedRequest } from './request-log.ts';
import type { Asked } from '../respond.ts';
import { respond } from '../respond.ts';
import type { Service } from '../service.ts';
import { settle } from '../settle.ts';
import { interfere, sendAnswer } from './turn.ts';
import type { Turn } from './turn.ts';

/** Answers one request: faults before it takes effect, the service itself, faults after, faults on the way. */
export async function exchange(
  service: Service,
  address: Address,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = 'GET', headers } = request;
  const { pathname, query } = targetOf(request);
  const found = findRoute(address, method, pathname);
  const body = await readBody(request);
  const asked: Asked = { found, method, pathname, query, headers, body: body ?? '' };
  const chosen = effectsOf(headers['x-ref-fault']);
  const effects = [...chosen.effects, ...service.faults.meet(method, pathname)];
  const knobs = knobsOf(effects);
  const entry = record(service, address, asked, effects);

  const latency = effects.find((effect) => effect.kind === 'latency');
  if (latency !== undefined) await delay(latency.ms, undefined, { signal: service.signal });
  const now = service.clock.now() + (knobs.skew ?? 0);
  const family = found.kind === 'route' ? found.route.family : found.family;
  const turn: Turn = { service, response, entry, family, effects, now };
  response.sendDate = false;

  const before = insteadAt(effects, 'before');
  if (before !== undefined) return interfere(turn, before);
  settle(service.world, service.clock.now());
  const refusal = body === null ? refuse(413, 'The body is larger than 20 MB') : chosen.refusal;
  const answer = refusal ?? withoutThrowing(() => respond(asked, service.world, now, knobs));
  entry.decided = answer.status;
  const after = insteadAt(effects, 'after');
  return after === undefined ? sendAnswer(turn, answer) : interfere(turn, after);
}

function record(
  service: Service,
  address: Address,
  asked: Asked,
  effects: readonly Effect[],
): LoggedRequest {
  const { found, method, pathname, query, headers, body } = asked;
  service.received += 1;
  const entry: LoggedRequest = {
    number: service.received,
    address,
    method,
    pathname,
    query: Object.fromEntries(query),
    headers,
    body,
    at: service.clock.now(),
    routeId: routeIdOf(found),
    key: service.world.keyRing.find(headers.authorization)?.name ?? null,
    faults: effects.map(({ kind }) => kind),
    decided: null,
    sent: null,
  };
  service.log.push(entry);
  if (service.log.length > service.remembered) service.log.shift();
  return entry;
}

function routeIdOf(found: Found): string | null {
  return found.kind === 'route' ? found.route.id : null;
}

/** A bug of the service itself must be seen, not taken for a fault that was asked for. */
function withoutThrowing(answer: () => Answer): Answer {
  try {
    return answer();
  } catch (error) {
    return refuse(500, `The reference service has a bug: ${String(error)}`);
  }
}
