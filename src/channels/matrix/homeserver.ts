import { z } from 'zod';

import { failed, type Outcome } from '../../core/outcome.ts';
import { parseJson } from '../../platform/json.ts';
import { clampRetryAfter } from '../../platform/retry.ts';
import {
  type JsonAnswer,
  type JsonPlace,
  type JsonRequest,
  notFrom,
  requestJson,
} from '../support/json-request.ts';
import type { ChannelDependencies } from '../../core/channel.ts';
import { secretReference } from '../../core/secret-reference.ts';
import { ConfigError } from '../../platform/errors.ts';
import { Secret } from '../../text/secret.ts';
import { serverAddress, serverFrom } from '../support/web-address.ts';

export const matrixOptions = z.strictObject({
  server: serverAddress.describe('Address of the homeserver, such as https://matrix.example.com'),
  token: secretReference.describe(
    'Access token of the sending account: { env }, { file } or { command }',
  ),
  // https://spec.matrix.org/latest/appendices/#room-ids: ids of newer rooms have no server name.
  room: z
    .string()
    .max(255)
    .regex(
      /^(![^\s:]+(:\S+)?|#[^\s:]+:\S+)$/,
      'is neither the id of a room, such as "!abc:example.com", nor an alias, such as "#agents:example.com"',
    )
    .describe('Id or alias of the room, which must not be encrypted'),
  threads: z.boolean().default(true).describe('Whether the messages of a session form a thread'),
  when_over: z
    .enum(['edit', 'delete'])
    .default('edit')
    .describe('How to handle a message whose request was answered elsewhere'),
});

/** An account on a homeserver, with its token read. */
export type MatrixTarget = Awaited<ReturnType<typeof readMatrixTarget>>;
export type MatrixOptions = z.output<typeof matrixOptions>;

/** Reads the token. @throws ConfigError that says what is wrong without showing it */
export async function readMatrixTarget(
  { server, token, room }: MatrixOptions,
  { name, resolveSecret }: Pick<ChannelDependencies, 'name' | 'resolveSecret'>,
) {
  const value = await resolveSecret(token);
  if (!/^[\u0021-\u007e]+$/.test(value)) {
    throw new ConfigError(`Cannot use channel "${name}": "token" is not an access token`, {
      hint: 'Copy it from the settings of a Matrix client that is signed in as the sending account',
    });
  }
  return { ...serverFrom(server), token: new Secret(value), room };
}

/** https://spec.matrix.org/latest/client-server-api/#standard-error-response */
const refusal = z.object({ errcode: z.string(), retry_after_ms: z.number().optional() });
const foundRoom = z.object({ room_id: z.string().min(2).max(255) });
const sentEvent = z.object({ event_id: z.string().min(2).max(255) });

/** Whether a room is encrypted is asked again after this time, ms: encryption can be turned on, never off. */
const PLAIN_FOR_MS = 300_000;

const reasons: Readonly<Record<string, string>> = {
  M_UNKNOWN_TOKEN: 'the access token is refused',
  M_MISSING_TOKEN: 'the access token is refused',
  M_FORBIDDEN: 'the account may not write to the room',
  M_NOT_FOUND: 'the room does not exist',
  M_UNRECOGNIZED: 'it is not a homeserver',
  M_TOO_LARGE: 'the message is too long',
  M_LIMIT_EXCEEDED: 'too many requests',
  M_USER_DEACTIVATED: 'the account is deactivated',
};

type Call = Pick<JsonRequest, 'body' | 'signal'> & { readonly method: 'GET' | 'PUT' };

type RoomState =
  | { readonly id: string }
  | { readonly outcome: Outcome; readonly isEncrypted: boolean };

const recentEvents = z.object({
  chunk: z.array(
    z.looseObject({
      event_id: z.string().min(2).max(255),
      unsigned: z.looseObject({ transaction_id: z.string().optional() }).optional(),
      content: z.looseObject({
        'm.relates_to': z.looseObject({ event_id: z.string().optional() }).optional(),
      }),
    }),
  ),
});

/** How many messages to look through: together they stay below the size of a response that is read. */
const LOOK_BACK = 20;

/** A homeserver as one account sees it (https://spec.matrix.org/latest/client-server-api/). */
export function createHomeserver(
  { server, token, room: named }: MatrixTarget,
  { outbound, now }: Pick<JsonPlace, 'outbound' | 'now'>,
) {
  let roomId = named.startsWith('!') ? named : null;
  let plainUntil = 0;

  async function call(path: string, request: Call): Promise<JsonAnswer> {
    const answer = await requestJson(
      {
        ...request,
        url: `${server}/_matrix/client/v3/${path}`,
        headers: { authorization: `Bearer ${token.reveal()}` },
      },
      { place: 'Matrix', outbound, now, disabling: [403, 404] },
    );
    return { ...answer, outcome: refined(answer) };
  }

  async function resolveRoom(signal: AbortSignal): Promise<RoomState> {
    if (roomId !== null) return { id: roomId };
    const path = `directory/room/${encodeURIComponent(named)}`;
    const { outcome, text } = await call(path, { method: 'GET', signal });
    if (outcome.type !== 'delivered') return { outcome, isEncrypted: false };
    const { data } = foundRoom.safeParse(parseJson(text));
    if (data === undefined) return { outcome: notMatrix, isEncrypted: false };
    roomId = data.room_id;
    return { id: roomId };
  }

  return {
    /** The account of the token; null with the outcome if the server does not say. */
    async account(signal: AbortSignal) {
      const { outcome, text } = await call('account/whoami', { method: 'GET', signal });
      const { data } = z.object({ user_id: z.string() }).safeParse(parseJson(text));
      return { id: data?.user_id ?? null, outcome };
    },

    /** The id of the room, if messages can be read by all its members: an encrypted one is refused. */
    async room(signal: AbortSignal): Promise<RoomState> {
      const found = await resolveRoom(signal);
      if ('outcome' in found || now() < plainUntil) return found;
      const path = `rooms/${encodeURIComponent(found.id)}/state/m.room.encryption/`;
      const { status, text, outcome } = await call(path, { method: 'GET', signal });
      const { data } = refusal.safeParse(parseJson(text));
      if (status === 404 && data?.errcode === 'M_NOT_FOUND') {
        plainUntil = now() + PLAIN_FOR_MS;
        return found;
      }
      if (outcome.type !== 'delivered') return { outcome, isEncrypted: false };
      const reason =
        'Cannot deliver to Matrix: the room is encrypted, which hookbell does not support';
      return { outcome: failed(reason, { channelBroken: true }), isEncrypted: true };
    },

    /** A repeat with the same id returns the first event. @param path `send/m.room.message` or `redact/EVENT` */
    async put(
      room: string,
      path: string,
      {
        transaction,
        content,
        signal,
      }: { transaction: string; content: unknown; signal: AbortSignal },
    ): Promise<{ event: string | null; outcome: Outcome; status: number }> {
      const { outcome, text, status } = await call(
        `rooms/${encodeURIComponent(room)}/${path}/${encodeURIComponent(transaction)}`,
        { method: 'PUT', body: content, signal },
      );
      if (outcome.type !== 'delivered') return { event: null, outcome, status };
      const { data } = sentEvent.safeParse(parseJson(text));
      return data === undefined
        ? { event: null, outcome: notMatrix, status }
        : { event: data.event_id, outcome, status };
    },

    /** Finds a recent message by its transaction id, with the event it relates to; null if there is none. */
    async find(room: string, transaction: string, signal: AbortSignal) {
      const filter = encodeURIComponent(JSON.stringify({ types: ['m.room.message'] }));
      const { outcome, text } = await call(
        `rooms/${encodeURIComponent(room)}/messages?dir=b&limit=${LOOK_BACK}&filter=${filter}`,
        { method: 'GET', signal },
      );
      const one = recentEvents
        .safeParse(parseJson(text))
        .data?.chunk.find(({ unsigned }) => unsigned?.transaction_id === transaction);
      if (one === undefined) return { found: null, outcome };
      const thread = one.content['m.relates_to']?.event_id ?? null;
      return { found: { event: one.event_id, thread }, outcome };
    },
  };
}

const notMatrix = notFrom('Matrix', 'a homeserver');

function refined({ outcome, text }: JsonAnswer): Outcome {
  if (outcome.type === 'delivered') return outcome;
  const { data } = refusal.safeParse(parseJson(text));
  const known = reasons[data?.errcode ?? ''];
  const reason = known === undefined ? outcome.reason : `${outcome.reason}: ${known}`;
  if (outcome.type === 'failed') return { ...outcome, reason };
  // Older servers say it in the text only.
  const inText = data?.retry_after_ms;
  const wait = outcome.afterMs === undefined && inText !== undefined;
  return { ...outcome, reason, ...(wait && { afterMs: clampRetryAfter(inText) }) };
}
