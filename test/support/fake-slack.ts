import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import { WebSocketServer } from 'ws';
import { z } from 'zod';

import { pageOf, type SlackPost, stored } from './slack-post.ts';
import type { SlackRateLimits } from './slack-rate-limits.ts';
import { attachments, blocks, commandResponse, home, metadata, view } from './slack-app-limits.ts';

type Parameters_ = Readonly<Record<string, unknown>>;

export const fakeTokens = { bot: 'xoxb-fake-bot', app: 'xapp-fake-app' } as const;
const scopes =
  'chat:write,commands,channels:history,groups:history,im:history,im:write,users:read,users:read.email';

type Connection = 'newest' | 'oldest';

/** A workspace: channel C0TEAM and the members U0ADA and U0EVE of T0FAKE. */
export interface FakeSlack extends AsyncDisposable {
  /** For the option `server`. */
  readonly server: string;
  readonly posts: SlackPost[];
  /** Messages that only one person sees. */
  readonly whispers: { user: string; text: string }[];
  readonly views: Parameters_[];
  /** The blocks of the responses to commands, as JSON. */
  readonly commandBlocks: string[];
  /** The published homes. */
  readonly homes: { user: string; view: string }[];
  /** Calls by method. */
  readonly calls: Record<string, number>;
  /** Envelopes that no connection acknowledged within Slack's 3 s. */
  readonly unacknowledged: string[];
  /**
   * The error of the next call of a method, or a status. With "lost" it is performed without a response, with "slow" the
   * response comes a second later.
   *
   * @param retryAfterS the wait that a 429 asks for
   */
  refuse(method: string, how: string | number, retryAfterS?: number): void;
  /** Scopes of the token from now on. */
  grant(granted: string): void;
  /** All scopes of the manifest again. */
  grantAll(): void;
  readonly connections: () => number;
  /** A member presses a button; one of another workspace is written as "T0OTHER:U0ADA". */
  press(post: SlackPost, actionId: string, member?: string, at?: Connection): Promise<void>;
  /** A member sends the words of a window. */
  submit(view: Parameters_, words: string, member?: string): Promise<void>;
  /** A member writes into a thread. */
  reply(thread: string, text: string, member?: string): Promise<void>;
  /** A member types "/hookbell TEXT"; returns the response. */
  command(text: string, member?: string): Promise<string>;
  /** A member opens the app's home. */
  openHome(member?: string): Promise<void>;
  /** Delivers every envelope this many times. */
  redeliver(times: number): void;
  /** Ends all connections: as announced by Slack, or without a word. */
  disconnect(how: 'announced' | 'cut'): void;
}

/**
 * @param networkMs how long each message to and from it takes
 * @param limits refuse calls beyond them; none if left out
 */
export async function startFakeSlack({
  networkMs = 0,
  limits,
}: { readonly networkMs?: number; readonly limits?: SlackRateLimits } = {}): Promise<FakeSlack> {
  const posts: SlackPost[] = [];
  const whispers: { user: string; text: string }[] = [];
  const views: Parameters_[] = [];
  const homes: { user: string; view: string }[] = [];
  const commandBlocks: string[] = [];
  const calls: Record<string, number> = {};
  const unacknowledged: string[] = [];
  const refusals: { method: string; how: string | number; retryAfterS: number }[] = [];
  /** Each with the end of its connection. */
  const sockets = new Map<WebSocket, Promise<null>>();
  const acknowledged = new Map<string, (payload: Parameters_) => void>();
  let granted = scopes;
  let deliveries = 1;
  let clock = Math.floor(Date.now() / 1_000);

  const server = createServer((request, response) => {
    void delay(2 * networkMs)
      .then(() => answer(request))
      .then(({ status, body, headers }) => {
        if (body === null) return response.destroy();
        response.writeHead(status, { 'content-type': 'application/json', ...headers });
        return response.end(JSON.stringify(body));
      })
      // A client that closes its connection.
      .catch(() => response.destroy());
  });
  const link = new WebSocketServer({ server, path: '/link' });
  link.on('connection', (socket) => {
    const ended = new Promise<null>((resolve) => socket.once('close', () => resolve(null)));
    sockets.set(socket, ended);
    void ended.then(() => sockets.delete(socket));
    socket.on('message', (data: Buffer) => {
      const { envelope_id: id, payload } = z
        .object({ envelope_id: z.string(), payload: z.record(z.string(), z.unknown()) })
        .parse(JSON.parse(data.toString()));
      acknowledged.get(id)?.(payload);
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
    const index = refusals.findIndex((one) => one.method === method);
    const [{ how, retryAfterS } = { how: undefined, retryAfterS: 1 }] =
      index < 0 ? [] : refusals.splice(index, 1);
    const headers: Record<string, string> = { 'x-oauth-scopes': granted };
    const waitS = how === 429 ? retryAfterS : (limits?.take(method, form['channel'] ?? '') ?? null);
    if (waitS !== null) {
      return {
        status: 429,
        body: { ok: false, error: 'ratelimited' },
        headers: { 'retry-after': String(waitS) },
      };
    }
    if (typeof how === 'number') return { status: how, body: { ok: false }, headers };
    const isPerformed = how === undefined || how === 'lost' || how === 'slow';
    if (!isPerformed) return { status: 200, body: refused(how), headers };
    const token = (request.headers.authorization ?? '').replace('Bearer ', '') || form['token'];
    const wanted = method === 'apps.connections.open' ? fakeTokens.app : fakeTokens.bot;
    if (token !== wanted) return { status: 200, body: refused('invalid_auth'), headers };
    const body = perform(method, form);
    if (how === 'slow') await delay(1_000, null, { ref: false });
    return { status: 200, body: how === 'lost' ? null : body, headers };
  }

  function perform(method: string, form: Readonly<Record<string, string>>): Parameters_ {
    switch (method) {
      case 'auth.test':
        return { ok: true, team: 'Fake', team_id: 'T0FAKE', user: 'hookbell', user_id: 'U0BOT' };
      case 'apps.connections.open':
        return { ok: true, url: `ws://127.0.0.1:${port}/link?ticket=${randomUUID()}` };
      case 'users.lookupByEmail':
        return /^(?:ada|bob)@example\.com$/.test(form['email'] ?? '')
          ? { ok: true, user: { id: `U0${form['email']?.slice(0, 3).toUpperCase()}` } }
          : refused('users_not_found');
      case 'users.info': {
        const id = form['user'] ?? '';
        const email = `${id.slice(2).toLowerCase()}@example.com`;
        return { ok: true, user: { id, team_id: 'T0FAKE', profile: { email } } };
      }
      case 'conversations.open':
        return { ok: true, channel: { id: `D0${form['users']}` } };
      case 'chat.postMessage':
        return post(form);
      case 'chat.update':
        return change(form);
      case 'chat.postEphemeral':
        if ((form['text'] ?? '').length > 4_000) return refused('msg_too_long');
        whispers.push({ user: form['user'] ?? '', text: form['text'] ?? '' });
        return { ok: true, message_ts: nextTs() };
      case 'views.open': {
        const parsed = view.safeParse(JSON.parse(form['view'] ?? 'null'));
        if (!parsed.success) return refused('invalid_arguments');
        views.push(parsed.data);
        return { ok: true, view: { id: 'V0' } };
      }
      case 'views.publish':
        if (!home.safeParse(JSON.parse(form['view'] ?? 'null')).success) {
          return refused('invalid_arguments');
        }
        homes.push({ user: form['user_id'] ?? '', view: form['view'] ?? '' });
        return { ok: true, view: { id: 'V1' } };
      case 'conversations.history':
        return pageOf(posts.filter(({ thread }) => thread === null).toReversed(), form);
      case 'conversations.replies':
        return pageOf(
          posts.filter(({ ts, thread }) => ts === form['ts'] || thread === form['ts']),
          form,
        );
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

  /** Returns the payload of the last acknowledgement. */
  async function deliver(
    type: 'interactive' | 'events_api' | 'slash_commands',
    payload: Parameters_,
    connection: Connection = 'newest',
  ): Promise<Parameters_> {
    const id = randomUUID();
    let response: Parameters_ = {};
    const accepts = type === 'slash_commands';
    const envelope = { type, envelope_id: id, payload, accepts_response_payload: accepts };
    for (let time = 0; time < deliveries; time += 1) response = await hand(envelope, connection);
    return response;
  }

  /** On that connection; on the next one if it ends before the acknowledgement. */
  async function hand(
    envelope: Parameters_ & { readonly envelope_id: string },
    connection: Connection,
  ) {
    const { envelope_id: id } = envelope;
    const tooLate = AbortSignal.timeout(3_000);
    const late = once(tooLate, 'abort').then(() => null);
    for (;;) {
      const [[socket, ended] = [null, delay(10, null)]] =
        connection === 'newest' ? [...sockets].toReversed() : [...sockets];
      const done = new Promise<Parameters_>((resolve) => acknowledged.set(id, resolve));
      if (networkMs > 0) await delay(networkMs);
      socket?.send(JSON.stringify(envelope));
      const response = await Promise.race([done, late, ended]);
      if (response !== null) return response;
      if (tooLate.aborted) {
        unacknowledged.push(id);
        return {};
      }
    }
  }

  return {
    server: `http://127.0.0.1:${port}`,
    posts,
    whispers,
    views,
    homes,
    commandBlocks,
    calls,
    unacknowledged,
    refuse: (method, how, retryAfterS = 1) => void refusals.push({ method, how, retryAfterS }),
    grant: (text_) => void (granted = text_),
    grantAll: () => void (granted = scopes),
    connections: () => sockets.size,
    async press(made, actionId, member = 'U0ADA', connection = 'newest') {
      await deliver(
        'interactive',
        {
          type: 'block_actions',
          team: { id: 'T0FAKE', domain: 'fake' },
          user: person(member),
          trigger_id: `1.2.${randomUUID()}`,
          channel: { id: made.channel },
          message: stored(made),
          actions: [{ action_id: actionId, type: 'button' }],
        },
        connection,
      );
    },
    async submit(opened, words, member = 'U0ADA') {
      await deliver('interactive', {
        type: 'view_submission',
        team: { id: 'T0FAKE' },
        user: person(member),
        view: { ...opened, state: { values: { words: { words: { value: words } } } } },
      });
    },
    async reply(thread, words, member = 'U0ADA') {
      await deliver('events_api', {
        team_id: 'T0FAKE',
        type: 'event_callback',
        event: {
          type: 'message',
          channel: 'C0TEAM',
          user: person(member).id,
          team: person(member).team_id,
          text: words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
          ts: nextTs(),
          thread_ts: thread,
        },
      });
    },
    async command(words, member = 'U0ADA') {
      const typed = { command: '/hookbell', text: words, user_id: member, team_id: 'T0FAKE' };
      const response = await deliver('slash_commands', typed);
      const { text: shown, blocks: marked } = commandResponse.parse(response);
      commandBlocks.push(JSON.stringify(marked));
      return shown;
    },
    async openHome(member = 'U0ADA') {
      const event = { type: 'app_home_opened', user: member, tab: 'home' };
      await deliver('events_api', { team_id: 'T0FAKE', type: 'event_callback', event });
    },
    redeliver: (times) => void (deliveries = times),
    disconnect(how) {
      for (const socket of sockets.keys()) {
        if (how === 'cut') socket.terminate();
        else socket.send(JSON.stringify({ type: 'disconnect', reason: 'refresh_requested' }));
      }
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets.keys()) socket.terminate();
      link.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function person(member: string) {
  const [id = '', team = 'T0FAKE'] = member.split(':').toReversed();
  return { id, team_id: team };
}

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
