import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import type { WebSocket } from 'ws';
import { WebSocketServer } from 'ws';
import { z } from 'zod';

/**
 * Slack's limits for what an app posts, counted in characters (https://docs.slack.dev/reference/block-kit/blocks and
 * …/block-elements). A part that is not here is refused: add its row first.
 */
const plain = (max: number) =>
  z.strictObject({
    type: z.literal('plain_text'),
    text: z.string().min(1).max(max).regex(/\S/),
    emoji: z.boolean().optional(),
  });
const marked = z.strictObject({
  type: z.literal('mrkdwn'),
  text: z.string().min(1).max(3_000),
  verbatim: z.boolean().optional(),
});
const button = z.strictObject({
  type: z.literal('button'),
  action_id: z.string().min(1).max(255),
  text: plain(75),
  style: z.enum(['primary', 'danger']).optional(),
  value: z.string().max(2_000).optional(),
});
const block = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('header'), text: plain(150) }),
  z.strictObject({
    type: z.literal('section'),
    text: z.discriminatedUnion('type', [plain(3_000), marked]),
  }),
  z.strictObject({
    type: z.literal('context'),
    elements: z.array(plain(2_000)).min(1).max(10),
  }),
  z.strictObject({ type: z.literal('actions'), elements: z.array(button).min(1).max(25) }),
]);
const blocks = z
  .array(block)
  .min(1)
  .max(50)
  .refine((all) => {
    const ids = all.flatMap((one) => (one.type === 'actions' ? one.elements : []));
    return new Set(ids.map(({ action_id: id }) => id)).size === ids.length;
  }, 'repeats an action_id');
const attachments = z
  .array(
    z.union([
      z.strictObject({ color: z.string().regex(/^#[0-9a-f]{6}$/), blocks }),
      z.strictObject({
        color: z.string(),
        text: z.string().max(8_000),
        mrkdwn_in: z.array(z.string()),
      }),
    ]),
  )
  .max(100);
const metadata = z.strictObject({
  event_type: z.string().min(1).max(255),
  event_payload: z.record(z.string(), z.string()),
});
const view = z.strictObject({
  type: z.literal('modal'),
  callback_id: z.string().max(255),
  private_metadata: z.string().max(3_000),
  title: plain(24),
  submit: plain(24),
  close: plain(24),
  blocks: z
    .array(
      z.strictObject({
        type: z.literal('input'),
        block_id: z.string().max(255),
        label: plain(2_000),
        element: z.strictObject({
          type: z.literal('plain_text_input'),
          action_id: z.string().max(255),
          multiline: z.boolean(),
          max_length: z.int().max(3_000),
        }),
      }),
    )
    .min(1)
    .max(100),
});

type Parameters_ = Readonly<Record<string, unknown>>;

/** A message in a channel, as the fake stores it. */
export interface SlackPost {
  readonly channel: string;
  readonly ts: string;
  readonly thread: string | null;
  text: string;
  blocks: readonly Parameters_[];
  attachments: readonly Parameters_[];
  readonly metadata: z.output<typeof metadata> | null;
  readonly isDeleted?: boolean;
}

export const fakeTokens = { bot: 'xoxb-fake-bot', app: 'xapp-fake-app' } as const;
const scopes =
  'chat:write,channels:history,groups:history,im:history,im:write,users:read,users:read.email';

/** A workspace: channel C0TEAM and the members U0ADA and U0EVE of T0FAKE. */
export interface FakeSlack extends AsyncDisposable {
  /** For the option `server`. */
  readonly server: string;
  readonly posts: SlackPost[];
  /** Messages that only one person sees. */
  readonly whispers: { user: string; text: string }[];
  readonly views: Parameters_[];
  /** Calls by method. */
  readonly calls: Record<string, number>;
  /** Envelopes that no connection acknowledged within Slack's 3 s. */
  readonly unacknowledged: string[];
  /** The error of the next calls of a method, or a status; with "lost" it is performed without a response. */
  refuse(method: string, how: string | number, times?: number): void;
  /** Scopes of the token from now on. */
  grant(granted: string): void;
  readonly connections: () => number;
  /** A member presses a button. */
  press(post: SlackPost, actionId: string, member?: string): Promise<void>;
  /** A member sends the words of a window. */
  submit(view: Parameters_, words: string, member?: string): Promise<void>;
  /** A member writes into a thread. */
  reply(thread: string, text: string, member?: string): Promise<void>;
  /** Delivers every envelope this many times. */
  redeliver(times: number): void;
  /** Ends all connections: as announced by Slack, or without a word. */
  disconnect(how: 'announced' | 'cut'): void;
}

export async function startFakeSlack(): Promise<FakeSlack> {
  const posts: SlackPost[] = [];
  const whispers: { user: string; text: string }[] = [];
  const views: Parameters_[] = [];
  const calls: Record<string, number> = {};
  const unacknowledged: string[] = [];
  const refusals: { method: string; how: string | number; times: number }[] = [];
  const sockets = new Set<WebSocket>();
  const acknowledged = new Map<string, () => void>();
  let granted = scopes;
  let deliveries = 1;
  let clock = 1_700_000_000;

  const server = createServer((request, response) => {
    void answer(request).then(({ status, body, headers }) => {
      if (body === null) return response.destroy();
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      return response.end(JSON.stringify(body));
    });
  });
  const link = new WebSocketServer({ server, path: '/link' });
  link.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('message', (data: Buffer) => {
      const { envelope_id: id } = z
        .object({ envelope_id: z.string() })
        .parse(JSON.parse(data.toString()));
      acknowledged.get(id)?.();
    });
    socket.send(JSON.stringify({ type: 'hello', num_connections: sockets.size }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;

  async function answer(request: IncomingMessage): Promise<{
    status: number;
    body: Parameters_ | null;
    headers: Record<string, string>;
  }> {
    const method = (request.url ?? '').replace('/api/', '');
    const form = Object.fromEntries(new URLSearchParams(await text(request)));
    calls[method] = (calls[method] ?? 0) + 1;
    const refusal = refusals.find((one) => one.method === method && one.times > 0);
    if (refusal !== undefined) refusal.times -= 1;
    const how = refusal?.how;
    const headers: Record<string, string> = { 'x-oauth-scopes': granted };
    if (how === 429) {
      return {
        status: 429,
        body: { ok: false, error: 'ratelimited' },
        headers: { 'retry-after': '1' },
      };
    }
    if (typeof how === 'number') return { status: how, body: { ok: false }, headers };
    if (how !== undefined && how !== 'lost') return { status: 200, body: refused(how), headers };
    const token = (request.headers.authorization ?? '').replace('Bearer ', '') || form['token'];
    const wanted = method === 'apps.connections.open' ? fakeTokens.app : fakeTokens.bot;
    if (token !== wanted) return { status: 200, body: refused('invalid_auth'), headers };
    const body = perform(method, form);
    return { status: 200, body: how === 'lost' ? null : body, headers };
  }

  function perform(method: string, form: Readonly<Record<string, string>>): Parameters_ {
    switch (method) {
      case 'auth.test':
        return { ok: true, team: 'Fake', team_id: 'T0FAKE', user: 'hookbell', user_id: 'U0BOT' };
      case 'apps.connections.open':
        return { ok: true, url: `ws://127.0.0.1:${port}/link?ticket=${randomUUID()}` };
      case 'users.lookupByEmail':
        return form['email'] === 'ada@example.com'
          ? { ok: true, user: { id: 'U0ADA' } }
          : refused('users_not_found');
      case 'conversations.open':
        return { ok: true, channel: { id: `D0${form['users']}` } };
      case 'chat.postMessage':
        return post(form);
      case 'chat.update':
        return change(form);
      case 'chat.postEphemeral':
        whispers.push({ user: form['user'] ?? '', text: form['text'] ?? '' });
        return { ok: true, message_ts: nextTs() };
      case 'views.open': {
        const parsed = view.safeParse(JSON.parse(form['view'] ?? 'null'));
        if (!parsed.success) return refused('invalid_arguments');
        views.push(parsed.data);
        return { ok: true, view: { id: 'V0' } };
      }
      case 'conversations.history':
        return { ok: true, messages: posts.filter(({ thread }) => thread === null).map(stored) };
      case 'conversations.replies':
        return {
          ok: true,
          messages: posts
            .filter(({ ts, thread }) => ts === form['ts'] || thread === form['ts'])
            .map(stored),
        };
      default:
        return refused('unknown_method');
    }
  }

  function post(form: Readonly<Record<string, string>>): Parameters_ {
    const channel = form['channel'] ?? '';
    if (!/^(?:C0TEAM|D0\w+)$/.test(channel)) return refused('channel_not_found');
    const parent = form['thread_ts'] ?? null;
    if (parent !== null && !posts.some(({ ts }) => ts === parent))
      return refused('thread_not_found');
    const content = contentOf(form);
    if (content === null) return refused('invalid_blocks');
    if (content.text.length > 40_000) return refused('msg_too_long');
    const marks =
      form['metadata'] === undefined ? null : metadata.parse(JSON.parse(form['metadata']));
    const made: SlackPost = { channel, ts: nextTs(), thread: parent, ...content, metadata: marks };
    posts.push(made);
    return { ok: true, channel, ts: made.ts, message: stored(made) };
  }

  function change(form: Readonly<Record<string, string>>): Parameters_ {
    const found = posts.find(({ channel, ts }) => channel === form['channel'] && ts === form['ts']);
    if (found === undefined) return refused('message_not_found');
    const content = contentOf(form);
    if (content === null) return refused('invalid_blocks');
    Object.assign(found, content);
    return { ok: true, channel: found.channel, ts: found.ts, message: stored(found) };
  }

  function nextTs(): string {
    clock += 1;
    return `${clock}.000100`;
  }

  async function deliver(type: 'interactive' | 'events_api', payload: Parameters_): Promise<void> {
    const id = randomUUID();
    for (let time = 0; time < deliveries; time += 1) {
      const [socket] = [...sockets].toReversed();
      const done = new Promise<void>((resolve) => acknowledged.set(id, resolve));
      socket?.send(
        JSON.stringify({ type, envelope_id: id, payload, accepts_response_payload: false }),
      );
      const late = AbortSignal.timeout(3_000);
      await Promise.race([done, once(late, 'abort').then(() => unacknowledged.push(id))]);
    }
  }

  return {
    server: `http://127.0.0.1:${port}`,
    posts,
    whispers,
    views,
    calls,
    unacknowledged,
    refuse: (method, how, times = 1) => void refusals.push({ method, how, times }),
    grant: (text_) => void (granted = text_),
    connections: () => sockets.size,
    press: (made, actionId, member = 'U0ADA') =>
      deliver('interactive', {
        type: 'block_actions',
        team: { id: 'T0FAKE', domain: 'fake' },
        user: person(member),
        trigger_id: `1.2.${randomUUID()}`,
        channel: { id: made.channel },
        message: stored(made),
        actions: [{ action_id: actionId, type: 'button' }],
      }),
    submit: (opened, words, member = 'U0ADA') =>
      deliver('interactive', {
        type: 'view_submission',
        team: { id: 'T0FAKE' },
        user: person(member),
        view: { ...opened, state: { values: { words: { words: { value: words } } } } },
      }),
    reply: (thread, words, member = 'U0ADA') =>
      deliver('events_api', {
        team_id: 'T0FAKE',
        type: 'event_callback',
        event: {
          type: 'message',
          channel: 'C0TEAM',
          user: member,
          text: words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
          ts: nextTs(),
          thread_ts: thread,
        },
      }),
    redeliver: (times) => void (deliveries = times),
    disconnect(how) {
      for (const socket of sockets) {
        if (how === 'cut') socket.terminate();
        else socket.send(JSON.stringify({ type: 'disconnect', reason: 'refresh_requested' }));
      }
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.terminate();
      link.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const person = (member: string) => ({ id: member, team_id: 'T0FAKE' });

const refused = (error: string): Parameters_ => ({ ok: false, error });

/** Null if Slack would refuse it. */
function contentOf(
  form: Readonly<Record<string, string>>,
): Pick<SlackPost, 'text' | 'blocks' | 'attachments'> | null {
  const parsed = z.object({ text: z.string().min(1), blocks, attachments }).safeParse({
    text: form['text'],
    blocks: JSON.parse(form['blocks'] ?? '[]'),
    attachments: JSON.parse(form['attachments'] ?? '[]'),
  });
  return parsed.success ? parsed.data : null;
}

/** Slack adds ids to blocks, and its keys have another order. */
function stored({ ts, thread, metadata: marks, ...post }: SlackPost): Parameters_ {
  const withIds = (all: readonly Parameters_[]) =>
    all.map((one, index) => ({
      block_id: `b${index}`,
      ...Object.fromEntries(Object.entries(one).toReversed()),
    }));
  return {
    type: 'message',
    user: 'U0BOT',
    bot_id: 'B0',
    ts,
    ...(thread !== null && { thread_ts: thread }),
    text: post.text,
    blocks: withIds(post.blocks),
    attachments: post.attachments.map((one, index) => ({
      id: index + 1,
      fallback: '[no preview]',
      ...one,
    })),
    ...(marks !== null && { metadata: marks }),
  };
}
