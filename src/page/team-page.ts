import type { IncomingMessage, ServerResponse } from 'node:http';

import type { HubPerson } from '../core/hub/directory.ts';
import { sameSecret } from '../platform/crypto.ts';
import { refusalOfLook, sendPage } from '../platform/http/page-requests.ts';
import type { Log } from '../platform/log.ts';
import type { LoopbackAddress } from '../platform/loopback-address.ts';
import { listenOnLoopback, type LoopbackServer } from '../platform/http/http-server.ts';
import type { Clock } from '../platform/time.ts';
import { finish } from './html-parts.ts';
import { sendAsset } from './page-assets.ts';
import { TEAM_DAYS, type TeamContent, teamHtml, teamRefusalHtml } from './team-html.ts';

/** A person of the hub, as the page knows them. */
export type TeamMember = Pick<HubPerson, 'email' | 'name' | 'team'>;

export interface TeamPageOptions {
  /** Where the user's own HTTPS proxy serves the page, such as "https://hub.example.com"; null: nowhere. */
  readonly url: string | null;
  /** The header in which the proxy names the person who is signed in, by e-mail address. */
  readonly personHeader: string;
  /** What the proxy sends in `PROXY_SECRET_HEADER`: other programs of this machine can reach the port too. */
  readonly secret: string;
  /** Null for an address of no one, or of someone who was removed. */
  readonly member: (email: string) => TeamMember | null;
  /** @param days length of the period for the waiting time */
  readonly read: (member: TeamMember, days: number) => Promise<TeamContent>;
  readonly now: Clock;
  readonly log: Log;
}

/** The header by which the proxy proves itself. */
export const PROXY_SECRET_HEADER = 'x-hookbell-proxy';

const POLICY = "style-src 'self'; img-src 'self'";

/**
 * Serves the read-only page of a hub on this machine, for a proxy that signs people in. People see their own sessions, and of
 * their team how many wait and for how long.
 *
 * @throws as `listenOnLoopback` does
 */
export function serveTeamPage(
  address: LoopbackAddress,
  options: TeamPageOptions,
): Promise<LoopbackServer> {
  const alsoHosts = options.url === null ? [] : [new URL(options.url).host];
  return listenOnLoopback(
    address,
    () => (request, response) => {
      answer(request, response, options).catch((error: unknown) => {
        options.log.error({ err: error }, 'Cannot answer on the page of the team');
        send(response, 503, refusal('The page cannot be shown', 'Try again in a minute.'));
      });
    },
    { alsoHosts },
  );
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: TeamPageOptions,
): Promise<void> {
  const { personHeader, secret, member, now, log } = options;
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return send(response, 405, refusal('Method not allowed', 'This page is read-only.'));
  }
  const given = only(request, PROXY_SECRET_HEADER);
  if (given === null || !sameSecret(given, secret)) {
    log.warn({}, 'Refused a request for the page of the team that did not come from the proxy');
    return send(response, 401, refusal('Not signed in', 'Open the page at its public address.'));
  }
  if (sendAsset(response, pathname.slice(1), POLICY)) return;
  const refused = refusalOfLook(request.headers);
  if (refused !== null) return send(response, 403, refusal('Refused', refused));
  const email = only(request, personHeader)?.trim().toLowerCase() ?? '';
  const person = email === '' ? null : member(email);
  if (person === null) {
    const text =
      email === ''
        ? `The proxy does not name the signed-in person: it must send the header ${personHeader}`
        : `${email} is not a person of this hub. Ask its administrator for an invitation.`;
    return send(response, 403, refusal('Not a person of this hub', text));
  }
  if (pathname !== '/')
    return send(response, 404, refusal('Not found', 'This page does not exist.'));
  const days = TEAM_DAYS.find((count) => String(count) === searchParams.get('days')) ?? 7;
  const html = teamHtml(await options.read(person, days));
  send(response, 200, finish(html, { root: '/', formToken: '', now: now() }));
}

/** The value of a header that was sent once; null otherwise, so that it cannot be read in two ways. */
function only({ rawHeaders }: IncomingMessage, name: string): string | null {
  const values = rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name.toLowerCase(),
  );
  return values.length === 1 ? (values[0] ?? null) : null;
}

function refusal(heading: string, text: string): string {
  return finish(teamRefusalHtml(heading, text), { root: '/', formToken: '', now: 0 });
}

function send(response: ServerResponse, status: number, html: string): void {
  sendPage(response, { status, html, policy: POLICY });
}
