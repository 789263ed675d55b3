import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

import { type RouteAnswer, refuse } from '../call.ts';
import type { MockClock } from '../days.ts';
import { effectsOf } from '../faults/check-rule.ts';
import { deliver, drift, hang, insteadAnswer, insteadAt, reset, spoil } from '../faults/deliver.ts';
import type { Effect, Instead } from '../faults/effects.ts';
import { type FaultRules, knobsOf } from '../faults/rules.ts';
import { randomFor } from '../random.ts';
import { type ReceivedRequest, respond } from '../respond.ts';
import { advanceWorld, type World } from '../world.ts';
import { errorBody, ofError, ofSuccess, type Outgoing, readBody, targetOf } from './error-body.ts';
import type { Family } from '../call.ts';
import { type Address, findRoute, type Found } from '../served-routes.ts';
import type { LoggedRequest } from './listen.ts';

/** Serves one request: faults before it takes effect, the service itself, faults after, faults on the way. */
export async function exchange(
  service: RunningService,
  address: Address,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = 'GET', headers } = request;
  const { pathname, query } = targetOf(request);
  const found = findRoute(address, method, pathname);
  const body = await readBody(request);
  const asked: ReceivedRequest = { found, method, pathname, query, headers, body: body ?? '' };
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
  advanceWorld(service.world, service.clock.now());
  const refusal = body === null ? refuse(413, 'The body is larger than 20 MB') : chosen.refusal;
  const answer = refusal ?? withoutThrowing(() => respond(asked, service.world, now, knobs));
  entry.decided = answer.status;
  const after = insteadAt(effects, 'after');
  return after === undefined ? sendAnswer(turn, answer) : interfere(turn, after);
}

function record(
  service: RunningService,
  address: Address,
  asked: ReceivedRequest,
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
function withoutThrowing(answer: () => RouteAnswer): RouteAnswer {
  try {
    return answer();
  } catch (error) {
    return refuse(500, `The reference service has a bug: ${String(error)}`);
  }
}

/** One request on its way to an answer. */
interface Turn {
  readonly service: RunningService;
  readonly response: ServerResponse;
  readonly entry: LoggedRequest;
  readonly family: Family;
  readonly effects: readonly Effect[];
  /** The time this request receives, Unix ms: a skewed clock is wrong for everything in it. */
  readonly now: number;
}

/** Sends what the service decided, bent and spoiled by the effects. */
async function sendAnswer(turn: Turn, answer: RouteAnswer): Promise<void> {
  await send(turn, spoil(render(turn, answer), turn.effects));
}

/** Lets an effect take the place of the answer. */
async function interfere(turn: Turn, effect: Instead): Promise<void> {
  switch (effect.kind) {
    case 'hang':
      await hang(turn.response);
      return;
    case 'reset':
      reset(turn.response);
      return;
    case 'status':
    case 'redirect':
      await send(
        turn,
        insteadAnswer(effect, turn.now, (refusal) => render(turn, refusal)),
      );
  }
}

function render(turn: Turn, answer: RouteAnswer): Outgoing {
  const { service, entry, family, effects } = turn;
  if (!answer.isRefusal) {
    const random = randomFor(service.world.seed, 'drift', entry.number);
    return ofSuccess({ ...answer, body: drift(answer.body, effects, random) });
  }
  const requestId = requestIdOf(entry);
  const body = errorBody(family, answer, { requestId, turn: service.errors });
  if (family !== 'analytics') service.errors += 1;
  return ofError(answer.status, body);
}

async function send({ service, response, entry, effects, now }: Turn, answer: Outgoing) {
  const date = new Date(now).toUTCString();
  const headers = { date, 'x-request-id': requestIdOf(entry), ...answer.headers };
  entry.sent = answer.status;
  await deliver(response, { ...answer, headers }, effects, service.signal);
}

function requestIdOf({ number }: LoggedRequest): string {
  return `req_${String(number).padStart(6, '0')}`;
}

/** The running service: what one request shares with the next. */
export interface RunningService {
  /** Replaced by a reset. */
  world: World;
  readonly clock: MockClock;
  readonly faults: FaultRules;
  /** The last requests, oldest first. */
  readonly log: LoggedRequest[];
  /** How many those are at most. */
  readonly remembered: number;
  /** Requests since the start or the last reset. */
  received: number;
  /** Errors of readiness and v0 so far: their bodies take turns. */
  errors: number;
  /** Aborted when the service ends. */
  readonly signal: AbortSignal;
}
