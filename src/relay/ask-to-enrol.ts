import { Agent, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps, Agent as SecureAgent } from 'node:https';

import { ENROL, EnrolAnswer, type EnrolBody } from '../core/hub/machine-requests.ts';
import type { RelayAddress } from '../core/relay.ts';
import { parseJson } from '../platform/json.ts';
import { networkTrouble } from '../platform/network-trouble.ts';
import type { Outbound } from '../platform/outbound/outbound-port.ts';
import { readWithin } from '../platform/read-within.ts';
import { parseRetryAfter } from '../platform/retry.ts';
import { throughProxy } from './through-proxy.ts';
import { RefusalBody } from './wire.ts';

export type Enrolling =
  | { readonly type: 'enrolled'; readonly person: string }
  /** The code is unknown, used or expired. */
  | { readonly type: 'code' }
  /** Another person's machine has the name. */
  | { readonly type: 'name' }
  | { readonly type: 'later'; readonly afterMs: number }
  /** `reason` ends a sentence. */
  | { readonly type: 'failed'; readonly reason: string };

const MOST_BYTES = 16 * 1024;

export interface EnrolOptions {
  readonly address: Extract<RelayAddress, { readonly type: 'url' }>;
  /** PEM of the one trusted certificate; null: those of `outbound`. */
  readonly certificate: string | null;
  readonly outbound: Pick<Outbound, 'isProxied' | 'authorities' | 'tunnel'>;
  readonly timeoutMs?: number;
}

/** Asks a hub to enrol this machine. Never rejects. */
export async function askToEnrol(
  body: EnrolBody,
  { address, certificate, outbound, timeoutMs = 30_000 }: EnrolOptions,
): Promise<Enrolling> {
  const { host, port, secure } = address;
  const ca = certificate ?? outbound.authorities();
  const agent = secure
    ? new SecureAgent({ rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) })
    : new Agent();
  throughProxy(agent, address, { certificate, outbound });
  const text = JSON.stringify(body);
  const asking = (secure ? requestHttps : requestHttp)({
    host,
    port,
    agent,
    method: 'POST',
    path: ENROL,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(text)),
    },
  });
  const timer = setTimeout(() => asking.destroy(new Error('Stopped')), timeoutMs);
  try {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      asking.on('error', reject);
      asking.on('response', resolve);
      asking.end(text);
    });
    return await understand(answer);
  } catch (error) {
    return { type: 'failed', reason: networkTrouble(error).reason };
  } finally {
    clearTimeout(timer);
    agent.destroy();
  }
}

async function understand(answer: IncomingMessage): Promise<Enrolling> {
  const bytes = await readWithin(answer, MOST_BYTES);
  const body = bytes === null ? null : parseJson(new TextDecoder().decode(bytes));
  const status = answer.statusCode ?? 0;
  if (status === 200) {
    const enrolled = EnrolAnswer.safeParse(body).data;
    if (enrolled !== undefined) return { type: 'enrolled', person: enrolled.person };
  }
  const { error } = RefusalBody.safeParse(body).data ?? { error: `status ${status}` };
  if (error === 'code' || error === 'name') return { type: error };
  if (status === 429 || status === 503) {
    const afterMs = parseRetryAfter(answer.headers['retry-after'] ?? null, Date.now()) ?? 5_000;
    return { type: 'later', afterMs };
  }
  return { type: 'failed', reason: `the program there is not a hookbell hub (${error})` };
}
