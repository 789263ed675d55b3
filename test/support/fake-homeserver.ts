import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

import { z } from 'zod';

/** Content of a message, strictly as https://spec.matrix.org/latest/client-server-api/ describes it. */
const shown = z.object({
  msgtype: z.enum(['m.text', 'm.notice']),
  body: z.string().min(1),
  format: z.literal('org.matrix.custom.html'),
  formatted_body: z.string(),
  'm.mentions': z.strictObject({}),
});
const relation = z.discriminatedUnion('rel_type', [
  z.strictObject({
    rel_type: z.literal('m.thread'),
    event_id: z.string(),
    is_falling_back: z.literal(true),
    'm.in_reply_to': z.strictObject({ event_id: z.string() }),
  }),
  z.strictObject({ rel_type: z.literal('m.replace'), event_id: z.string() }),
]);
export const matrixContent = z.strictObject({
  ...shown.shape,
  'm.new_content': shown.strict().optional(),
  'm.relates_to': relation.optional(),
});
export type MatrixContent = z.output<typeof matrixContent>;

/** An event may have 65,536 bytes together with its own fields. */
export const MAX_CONTENT_BYTES = 64_000;

interface RoomEvent {
  readonly id: string;
  readonly content: MatrixContent;
  /** The first event of its thread. */
  readonly thread: string | null;
}

/** Stands in for a homeserver with one room and one account in it. */
export interface FakeHomeserver extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  readonly room: string;
  readonly alias: string;
  /** What the room shows: edited, and without what was redacted. */
  readonly events: () => readonly RoomEvent[];
  setEncrypted(): void;
  /** The first event of a thread is forgotten, as after a purge of the history. */
  forget(event: string): void;
  /** Accepts the next message without answering. */
  swallowNextAnswer(): void;
}

export async function startHomeserver(): Promise<FakeHomeserver> {
  const token = 'syt_fake_access_token';
  const room = '!agents:example.com';
  const alias = '#agents:example.com';
  const events = new Map<string, RoomEvent>();
  const transactions = new Map<string, string>();
  let count = 0;
  let encrypted = false;
  let swallow = false;

  function put(path: readonly string[], body: string): { status: number; answer: object } {
    const [kind = '', target = '', transaction = ''] = path;
    const key = path.join('/');
    const before = transactions.get(key);
    if (before !== undefined) return { status: 200, answer: { event_id: before } };
    if (Buffer.byteLength(body) > MAX_CONTENT_BYTES) {
      return { status: 413, answer: { errcode: 'M_TOO_LARGE', error: 'event too large' } };
    }
    const id = `$event-${(count += 1)}`;
    if (kind === 'redact') {
      events.delete(target);
    } else {
      const content = matrixContent.safeParse(JSON.parse(body));
      const bad = { status: 400, answer: { errcode: 'M_UNKNOWN', error: 'bad content' } };
      if (!content.success || target !== 'm.room.message' || transaction === '') return bad;
      const { 'm.relates_to': relates, 'm.new_content': fresh } = content.data;
      const to = relates === undefined ? undefined : events.get(relates.event_id);
      if (relates !== undefined && to === undefined) return bad;
      if (relates?.rel_type === 'm.replace' && to !== undefined && fresh !== undefined) {
        events.set(to.id, { ...to, content: fresh });
      } else events.set(id, { id, content: content.data, thread: relates?.event_id ?? null });
    }
    transactions.set(key, id);
    return { status: 200, answer: { event_id: id } };
  }

  function answerTo(method: string, url: string, body: string): { status: number; answer: object } {
    const path = url.replace('/_matrix/client/v3/', '').split('/').map(decodeURIComponent);
    if (path[0] === 'account') return { status: 200, answer: { user_id: '@bot:example.com' } };
    if (path[0] === 'directory') {
      return path[2] === alias
        ? { status: 200, answer: { room_id: room, servers: [] } }
        : { status: 404, answer: { errcode: 'M_NOT_FOUND' } };
    }
    if (path[0] !== 'rooms') return { status: 404, answer: { errcode: 'M_UNRECOGNIZED' } };
    if (path[1] !== room) return { status: 403, answer: { errcode: 'M_FORBIDDEN' } };
    if (path[2]?.startsWith('messages?') === true) {
      const sent = new Map(Array.from(transactions, ([key, id]) => [id, key.split('/').at(-1)]));
      const chunk = [...events.values()].toReversed().map(({ id, content }) => ({
        type: 'm.room.message',
        event_id: id,
        content,
        unsigned: { transaction_id: sent.get(id) },
      }));
      return { status: 200, answer: { start: 's', chunk } };
    }
    if (method === 'GET') {
      return encrypted
        ? { status: 200, answer: { algorithm: 'm.megolm.v1.aes-sha2' } }
        : { status: 404, answer: { errcode: 'M_NOT_FOUND' } };
    }
    return put(path.slice(2), body);
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const isKnown = request.headers.authorization === `Bearer ${token}`;
    const { status, answer } = isKnown
      ? answerTo(request.method ?? '', request.url ?? '', body)
      : { status: 401, answer: { errcode: 'M_UNKNOWN_TOKEN', error: 'Unrecognised access token' } };
    if (swallow && request.method === 'PUT') {
      swallow = false;
      response.socket?.resetAndDestroy();
      return;
    }
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer));
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;

  return {
    url: `http://127.0.0.1:${port}`,
    token,
    room,
    alias,
    events: () => [...events.values()],
    setEncrypted: () => {
      encrypted = true;
    },
    forget: (event) => void events.delete(event),
    swallowNextAnswer: () => {
      swallow = true;
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
