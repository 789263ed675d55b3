import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { type IncomingMessage, request as plainRequest } from 'node:http';
import { type Agent, request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import { sha256 } from '../../src/platform/crypto.ts';
import { signRequest } from '../../src/relay/signature.ts';
import { makeToken, readToken } from '../../src/relay/token.ts';
import { type Line, readLines } from './file-channel-home.ts';
import { freePort } from './free-port.ts';
import { type HookbellHome, hookbellHome } from './hookbell-home.ts';
import { selfSigned } from './http-endpoint.ts';
import { type Postgres, startPostgres } from './postgres.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const shiftedClock = fileURLToPath(new URL('shifted-clock.js', import.meta.url));

export interface Hub extends HookbellHome {
  readonly url: string;
  readonly port: number;
}

/** A hub of two processes on one PostgreSQL, with TLS; every event is written to the file channel "out". */
export interface HubTeam extends AsyncDisposable {
  readonly postgres: Postgres;
  readonly one: Hub;
  readonly other: Hub;
  /** The certificate of both, for 127.0.0.1 and hub.example.com, and its key. */
  readonly certificate: string;
  readonly key: string;
  lines(): Promise<readonly Line[]>;
  /** A person's machine that is not a hub, with its daemon, not joined yet. */
  machine(): Promise<HookbellHome>;
  /** Makes an invitation, and returns its code. */
  invite(email: string): Promise<string>;
  /** Enrols a machine by a request, and returns what it signs with. */
  enrol(email: string, machine: string): Promise<Signer>;
}

/** What a machine of a hub signs with. */
export interface Signer {
  readonly machine: string;
  readonly key: string;
}

export interface HubTeamOptions {
  /** How far the clock of the second process is ahead, ms. */
  readonly aheadMs?: number;
  readonly drain?: string;
  /** Addresses of proxies in front of it. */
  readonly behindProxy?: readonly string[];
  /** More sections of the configuration. */
  readonly more?: string;
}

export async function hubTeam({
  aheadMs = 0,
  drain = '0s',
  behindProxy = [],
  more = '',
}: HubTeamOptions = {}): Promise<HubTeam> {
  const postgres = await startPostgres();
  const directory = await temporaryDirectory();
  await selfSigned(directory.path, 'IP:127.0.0.1,DNS:hub.example.com');
  const certificate = join(directory.path, 'cert.pem');
  const out = join(directory.path, 'out.jsonl');
  const database = join(directory.path, 'database-url');
  await writeFile(database, `${postgres.url}\n`, { mode: 0o600 });
  const secret = join(directory.path, 'hub-secret');
  await writeFile(secret, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
  const homes: HookbellHome[] = [];

  async function hub(): Promise<Hub> {
    const place = await hookbellHome();
    homes.push(place);
    const port = await freePort();
    const url = `https://127.0.0.1:${port}`;
    await place.writeConfig(`store: { postgres: { url: { file: ${database} } } }
hub: { url: "${url}", drain: ${drain}, secret: { file: ${secret} }, behind_proxy: ${JSON.stringify(behindProxy)} }
listen: { host: 127.0.0.1, port: ${port}, certificate: ${certificate}, key: ${join(directory.path, 'key.pem')} }
channels: { out: { type: file, path: ${out} } }
routes: [{ match: {}, notify: [out] }]
${more}
`);
    return { ...place, url, port };
  }

  const one = await hub();
  const other = await hub();
  const clock = join(directory.path, 'clock');
  await writeFile(clock, String(aheadMs));
  other.env['HOOKBELL_TEST_CLOCK'] = clock;
  await one.start();
  await other.start(['--import', shiftedClock]);

  async function invite(email: string): Promise<string> {
    return (await one.ask('POST /v1/hub-invite', { body: { email } })).code;
  }

  return {
    postgres,
    one,
    other,
    certificate,
    key: join(directory.path, 'key.pem'),
    lines: () => readLines(out),
    async machine() {
      const place = await hookbellHome();
      homes.push(place);
      return place;
    },
    invite,
    async enrol(email, machine) {
      const key = readToken(makeToken(machine, randomBytes(32)))?.key ?? '';
      const body = JSON.stringify({ version: 1, code: await invite(email), machine, key });
      const answer = await askHub(one, { method: 'POST', path: '/v1/hub/enrol', body });
      if (answer.status !== 200) throw new Error(`Not enrolled: ${answer.body}`);
      return { machine, key };
    },
    async [Symbol.asyncDispose]() {
      for (const place of homes) await place[Symbol.asyncDispose]();
      await postgres[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

export interface HubRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Keeps connections; without, each request opens its own. */
  readonly agent?: Agent;
}

/** A request made by hand. */
export async function askHub(
  { port, isPlain = false }: Pick<Hub, 'port'> & { readonly isPlain?: boolean },
  { method, path, body = '', headers = {}, agent }: HubRequest,
): Promise<{ readonly status: number; readonly body: string }> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const asking = (isPlain ? plainRequest : request)({
      host: '127.0.0.1',
      port,
      method,
      path,
      agent: agent ?? false,
      // The certificate is not what these tests are about.
      rejectUnauthorized: false,
      headers: {
        ...('transfer-encoding' in headers
          ? {}
          : { 'content-length': String(Buffer.byteLength(body)) }),
        ...headers,
      },
    });
    asking.on('error', reject);
    asking.on('response', resolve);
    asking.end(body);
  });
  return { status: answer.statusCode ?? 0, body: await text(answer) };
}

/** The request with the headers of a signature; `said` is claimed instead of what was signed. */
export function signed(
  { machine, key }: Signer,
  { method, path, body = '' }: HubRequest,
  said: Readonly<Record<string, string>> = {},
): HubRequest {
  const time = String(Date.now());
  const nonce = randomBytes(16).toString('hex');
  const parts = { method, path, machine, time, nonce, body: sha256(body) };
  return {
    method,
    path,
    body,
    headers: {
      'hookbell-machine': machine,
      'hookbell-time': time,
      'hookbell-nonce': nonce,
      'hookbell-body': parts.body,
      'hookbell-signature': signRequest(key, parts),
      ...said,
    },
  };
}
