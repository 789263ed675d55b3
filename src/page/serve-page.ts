import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';

import { HookbellError } from '../platform/errors.ts';
import {
  pageHeaders,
  readForm,
  refusalOfLook,
  refusalOfReply,
  sendPage,
} from '../platform/http/page-requests.ts';
import { sameSecret, sha256 } from '../platform/crypto.ts';
import type { Log } from '../platform/log.ts';
import type { LoopbackAddress } from '../platform/loopback-address.ts';
import { listenOnLoopback, type LoopbackServer } from '../platform/http/http-server.ts';
import type { Clock } from '../platform/time.ts';
import { messageHtml } from './frame-html.ts';
import { finish } from './html-parts.ts';
import type { PageAccess, PageSession } from './page-access.ts';
import { type ActionResult, type PageActionParts, runAction } from './page-actions.ts';
import { sendAsset } from './page-assets.ts';
import type { PageFeed } from './page-feed.ts';

/** A page before its placeholders are filled; null: there is none at this path. */
export type RenderPage = (
  path: string,
  query: URLSearchParams,
  session: PageSession,
) => Promise<string | null>;

export interface ServePageParts extends PageActionParts {
  readonly access: PageAccess;
  readonly feed: Pick<PageFeed, 'follow' | 'changed'>;
  readonly render: RenderPage;
  /** The view that a browser follows, by its name in the page; null for an unknown one. */
  readonly viewOf: (name: string, session: PageSession) => string | null;
  /** Where the user's proxy serves the page, such as "https://bell.example.org"; null: unset. */
  readonly url: string | null;
  readonly now: Clock;
  readonly log: Log;
}

const POLICY =
  "script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; manifest-src 'self'";
/** Cookies live in the browser at most this long; the daemon ends sessions earlier, seconds. */
const COOKIE_SECONDS = 400 * 86_400;

const SIGN_IN = [
  'This browser is not signed in, or its session has ended.',
  'Run `hookbell open` in a terminal on the machine that runs hookbell. `hookbell open --print` prints a link instead of opening a browser.',
];

/**
 * Serves the page on this machine. A browser is signed in by a link of one use; from then on its cookie and the key in the
 * address identify it, and each form repeats a token.
 *
 * @throws as `listenOnLoopback` does
 */
export function servePage(
  address: LoopbackAddress,
  parts: ServePageParts,
): Promise<LoopbackServer> {
  const proxy = parts.url === null ? null : new URL(parts.url);
  return listenOnLoopback(
    address,
    (own) => (request, response) => {
      const isProxied = proxy !== null && request.headers.host === proxy.host;
      const origin = isProxied ? proxy.origin : own;
      answer({ request, response, origin }, parts).catch((error: unknown) => {
        // Without the path, which may contain a token.
        parts.log.error({ err: error }, 'Cannot answer on the page');
        const text = ['The daemon cannot handle the request; see `hookbell logs`'];
        send(response, 500, messageHtml('Unexpected error', text));
      });
    },
    { alsoHosts: proxy === null ? [] : [proxy.host] },
  );
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The origin by which the browser knows the page. */
  readonly origin: string;
}

async function answer(exchange: Exchange, parts: ServePageParts): Promise<void> {
  const { request, response, origin } = exchange;
  const { pathname, searchParams } = new URL(request.url ?? '/', origin);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (!isRead && request.method !== 'POST')
    return send(response, 405, refused('Method not allowed'));
  if (isRead && sendAsset(response, pathname.split('/').at(-1) ?? '', POLICY)) return;
  const token = /^\/open\/([\w-]{43})$/.exec(pathname)?.[1];
  if (token !== undefined) return signIn(token, exchange, parts);

  const { access } = parts;
  const root = `/${access.key}/`;
  const cookies = cookiesIn(request.headers, origin);
  const session = pathname.startsWith(root) ? access.find(cookies) : null;
  if (session === null) return send(response, 401, messageHtml('Sign in', SIGN_IN));
  const path = pathname.slice(root.length);
  const cookie = cookies.find((one) => sha256(one) === session.hash) ?? '';
  const own = { ...exchange, session, root, path, formToken: sha256(`form ${cookie}`) };
  if (request.method === 'POST') return post(own, parts);
  if (path === 'alive' || path === 'live') return follow(own, searchParams, parts);
  const refusal = refusalOfLook(request.headers);
  if (refusal !== null) return send(response, 403, refused(refusal));
  try {
    const html = await parts.render(path, searchParams, session);
    if (html === null) {
      return send(response, 404, messageHtml('Not found', ['This page does not exist.']));
    }
    send(response, 200, finish(html, { root, formToken: own.formToken, now: parts.now() }));
  } catch (error) {
    if (!(error instanceof HookbellError)) throw error;
    send(response, 404, messageHtml('Not found', [error.message]));
  }
}

interface SignedIn extends Exchange {
  readonly session: PageSession;
  readonly root: string;
  /** Behind the key. */
  readonly path: string;
  readonly formToken: string;
}

/** The link shows a form that signs in: a preview or a prefetch of the link must not use it up. */
async function signIn(
  token: string,
  exchange: Exchange,
  { access }: ServePageParts,
): Promise<void> {
  const { request, response, origin } = exchange;
  const gone = messageHtml('This link was used or has expired', [
    'Each link signs one browser in, within 5 minutes. If you have not used it, someone else may have: run `hookbell open --sign-out`.',
    'Run `hookbell open` for a new one.',
  ]);
  if (request.method !== 'POST') {
    const refusal = refusalOfLook(request.headers);
    if (refusal !== null) return send(response, 403, refused(refusal));
    if (!access.isOpen(token)) return send(response, 410, gone);
    const form = '<form method="post" data-submit><button class="yes">Sign in</button></form>';
    const text = 'This browser will be signed in to the hookbell page.';
    return send(response, 200, messageHtml('Sign in', [text], { form }));
  }
  const refusal = refusalOfReply(request.headers, origin);
  if (refusal !== null) return send(response, 403, refused(refusal));
  const cookie = access.redeem(token);
  if (cookie === null) return send(response, 410, gone);
  response.writeHead(303, {
    ...pageHeaders(POLICY),
    location: `/${access.key}/`,
    'set-cookie': cookieText(cookie, COOKIE_SECONDS, access.key, origin),
  });
  response.end();
}

async function post(own: SignedIn, parts: ServePageParts): Promise<void> {
  const { request, response, origin, session, root, path, formToken } = own;
  const refusal = refusalOfReply(request.headers, origin);
  if (refusal !== null) return send(response, 403, refused(refusal));
  const form = await readForm(request);
  if (form === null) return send(response, 413, refused('The form is too long'));
  if (!sameSecret(form.get('token') ?? '', formToken)) {
    return reply(own, { status: 403, text: 'The form is out of date: reload the page' });
  }
  if (path === 'do/sign-out') {
    parts.access.end(session);
    response.writeHead(303, {
      ...pageHeaders(POLICY),
      location: root,
      'set-cookie': cookieText('', 0, parts.access.key, origin),
    });
    response.end();
    return;
  }
  const name = /^do\/([a-z]+)$/.exec(path)?.[1] ?? '';
  const result = await runAction(name, form, session, parts);
  parts.feed.changed();
  reply(own, result);
}

/** For the script as JSON; without a script the page again, or why it failed. */
function reply({ request, response, root }: SignedIn, { status, text }: ActionResult): void {
  if (request.headers.accept === 'application/json') {
    response.writeHead(status, { ...pageHeaders(POLICY), 'content-type': 'application/json' });
    response.end(JSON.stringify({ ok: status === 200, text }));
  } else if (status === 200) {
    response.writeHead(303, { ...pageHeaders(POLICY), location: root });
    response.end();
  } else {
    send(response, status, messageHtml(text, ['Go back to the page, and look again.'], { root }));
  }
}

/** Only the script of the page may follow its changes. */
async function follow(own: SignedIn, query: URLSearchParams, parts: ServePageParts): Promise<void> {
  const { request, response, path, session, root, formToken } = own;
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') {
    return send(response, 403, refused('It was not requested by the page'));
  }
  const headers = { ...pageHeaders(POLICY), 'content-type': 'text/event-stream; charset=utf-8' };
  if (path === 'alive') {
    response.writeHead(204, pageHeaders(POLICY)).end();
    return;
  }
  const view = parts.viewOf(query.get('view') ?? '', session);
  if (view === null) return send(response, 404, refused('There is no such view'));
  const last = request.headers['last-event-id'];
  // Proxies must pass each change on; nginx reads this header.
  response.setHeader('x-accel-buffering', 'no');
  const follower = {
    response,
    version: typeof last === 'string' ? last : (query.get('version') ?? ''),
    finish: (html: string) => finish(html, { root, formToken, now: parts.now() }),
    isSignedIn: () => parts.access.has(session),
    start: () => void response.writeHead(200, headers),
  };
  if (!(await parts.feed.follow(view, follower))) {
    send(response, 503, refused('Too many pages are open'));
  }
}

function refused(reason: string): string {
  return messageHtml('Refused', [reason]);
}

function send(response: ServerResponse, status: number, html: string): void {
  sendPage(response, { status, html, policy: POLICY });
}

/** Browsers accept the prefix only over https, with "Secure" and for this host alone. */
function cookieName(origin: string): string {
  return origin.startsWith('https:') ? '__Secure-hookbell' : 'hookbell';
}

/** Other ports of this machine get no cookie of this path, since they do not know it. */
function cookieText(value: string, seconds: number, key: string, origin: string): string {
  const secure = origin.startsWith('https:') ? '; Secure' : '';
  return `${cookieName(origin)}=${value}; Path=/${key}/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}

/** Several, if another server on this host set one of this name. */
function cookiesIn({ cookie = '' }: IncomingHttpHeaders, origin: string): readonly string[] {
  const prefix = `${cookieName(origin)}=`;
  return cookie
    .split('; ')
    .filter((part) => part.startsWith(prefix))
    .map((part) => part.slice(prefix.length))
    .slice(0, 8);
}
