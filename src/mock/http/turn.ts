import type { ServerResponse } from 'node:http';

import type { Answer } from '../answer.ts';
import type { Family } from './errors.ts';
import { errorBody } from './errors.ts';
import { deliver, hang, reset } from '../faults/deliver.ts';
import { drift } from '../faults/drift.ts';
import type { Effect, Instead } from '../faults/effects.ts';
import { insteadAnswer } from '../faults/instead.ts';
import { spoil } from '../faults/spoil.ts';
import type { Outgoing } from './outgoing.ts';
import { ofError, ofSuccess } from './outgoing.ts';
import { randomFor } from '../random.ts';
import type { LoggedRequest } from './request-log.ts';
import type { Service } from '../service.ts';

/** One request on its way to an answer. */
export interface Turn {
  readonly service: Service;
  readonly response: ServerResponse;
  readonly entry: LoggedRequest;
  readonly family: Family;
  readonly effects: readonly Effect[];
  /** The time this request is told, Unix ms: a skewed clock is wrong for everything in it. */
  readonly now: number;
}

/** Sends what the service decided, bent and spoiled by the effects. */
export async function sendAnswer(turn: Turn, answer: Answer): Promise<void> {
  await send(turn, spoil(render(turn, answer), turn.effects));
}

/** Lets an effect take the place of the answer. */
export async function interfere(turn: Turn, effect: Instead): Promise<void> {
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

function render(turn: Turn, answer: Answer): Outgoing {
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
