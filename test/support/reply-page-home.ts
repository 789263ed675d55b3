import assert from 'node:assert/strict';
import { request } from 'node:http';
import type { OutgoingHttpHeaders } from 'node:http';
import { text as readText } from 'node:stream/consumers';

import type { StoredSession } from './reference-service/data/sessions-data.ts';
import type { Mock } from './reference-service/reference-server.ts';
import { startMock } from './reference-service/reference-server.ts';
import { freePort } from './free-port.ts';
import type { HookbellHome } from './hookbell-home.ts';
import { hookbellHome, until } from './hookbell-home.ts';
import type { HttpEndpoint } from './http-endpoint.ts';
import { openHttpEndpoint } from './http-endpoint.ts';
import type { FaultyServer } from './smtp-faults.ts';
import { startFaultySmtp } from './smtp-faults.ts';

/** A daemon that serves the reply page, the service it sends replies to, and a Slack and a mail server it notifies. */
export interface ReplyPageHome extends AsyncDisposable {
  readonly place: HookbellHome;
  readonly mock: Mock;
  readonly slack: HttpEndpoint;
  readonly smtp: FaultyServer;
  readonly origin: string;
  /** Idle, so that its message count moves for one reason only. */
  readonly session: StoredSession;
  /** An agent that waits. */
  ask(message: string): Promise<unknown>;
  /** Also returns the link that Slack got. Once, with a message that begins with "Which of the". */
  link(message?: string): Promise<string>;
  /** How often the session has this text. */
  arrived(text: string): number;
}

export interface ReplyPageHomeOptions {
  /** The channels to notify: Slack by default. */
  readonly notify?: string;
  /** Variables of the daemon's environment for a desktop to notify. */
  readonly desktop?: Readonly<Record<string, string | undefined>>;
  /** The section of the configuration about the page, in one line. */
  readonly page?: (port: number) => string;
}

export async function replyPageHome({
  notify = 'team',
  desktop,
  page = (port) => `reply_page: { listen: "127.0.0.1:${port}" }`,
}: ReplyPageHomeOptions = {}): Promise<ReplyPageHome> {
  const [mock, slack, smtp] = await Promise.all([
    startMock({ now: Date.now }),
    openHttpEndpoint(),
    startFaultySmtp(),
  ]);
  const place = await hookbellHome();
  const port = await freePort();
  const session = mock.state().sessions.find(({ status, title }) => status === 'idle' && title);
  assert.ok(session);
  const { sessionId } = session;
  await place.writeConfig(`
channels:
  team: { type: slack, webhook: "${slack.url}/services/T0/B0/x", allow_any_host: true }
  mail: { type: email, to: [me@x.test], from: robot@x.test, smtp: { host: 127.0.0.1, port: ${smtp.port}, starttls: never } }
${desktop === undefined ? '' : '  desktop: { type: desktop, backend: dbus }'}
api: { base_url: ${mock.baseUrl}, key: { env: AGENT_KEY } }
${page(port)}
noise: { burst: { at_once: 50, window: 1s } }
routes: [{ match: {}, notify: [${notify}] }]
`);
  place.env['AGENT_KEY'] = mock.keys.owner;
  for (const [name, value] of Object.entries(desktop ?? {})) place.env[name] = value ?? '';
  await place.start();
  const tell = (fields: object): Promise<unknown> =>
    place.hook({ session_id: sessionId, cwd: '/w/shop', ...fields }, ['--agent', 'droid']);
  // A slow machine may need longer for the first answer than a notification waits.
  await tell({ hook_event_name: 'UserPromptSubmit', prompt: 'Go' });
  await tell({ hook_event_name: 'Stop' });
  await until(async () => (await place.ask('GET /v1/sessions'))[0]?.title === session.title);
  const ask = (message: string): Promise<unknown> =>
    tell({ hook_event_name: 'Notification', message });
  const asks = (): string | undefined =>
    slack.requests.find(({ body }) => body.includes('Which of the'))?.body;
  return {
    place,
    mock,
    slack,
    smtp,
    origin: `http://127.0.0.1:${port}`,
    session,
    ask,
    async link(message = 'Which of the two plans?') {
      await ask(message);
      await until(() => asks() !== undefined);
      const found = /http:\/\/127\.0\.0\.1:\d+\/reply\/[\w-]+/.exec(asks() ?? '');
      assert.ok(found, asks());
      return found[0];
    },
    arrived: (text) =>
      mock
        .state()
        .sessions.find((one) => one.sessionId === sessionId)
        ?.messages.filter(({ content }) => content.some((block) => block.text === text)).length ??
      0,
    async [Symbol.asyncDispose]() {
      // A mail server reports an error if its client leaves in the middle of a mail.
      if (notify !== 'team')
        await until(async () => (await place.ask('GET /v1/status')).deliveries.pending === 0);
      await place[Symbol.asyncDispose]();
      await slack[Symbol.asyncDispose]();
      await smtp[Symbol.asyncDispose]();
      await mock[Symbol.asyncDispose]();
    },
  };
}

export interface PageAnswer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
}

/** A request with these very headers, as no browser lets a page make it. */
export function askPage(
  url: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: { method?: string; headers?: OutgoingHttpHeaders; body?: string } = {},
): Promise<PageAnswer> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, headers }, (response) => {
      readText(response).then(
        (text) =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
        reject,
      );
    });
    asked.once('error', reject);
    asked.end(body);
  });
}

/** Posts the form as the page itself does; `headers` win. */
export function postForm(
  url: string,
  text: string,
  headers: OutgoingHttpHeaders = {},
): Promise<PageAnswer> {
  return askPage(url, {
    method: 'POST',
    headers: {
      origin: new URL(url).origin,
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
    },
    body: new URLSearchParams({ text }).toString(),
  });
}
