import { z } from 'zod';

import { failed } from '../../core/outcome.ts';
import { parseJson } from '../../platform/json.ts';
import type { Outbound } from '../../platform/outbound/outbound-port.ts';
import type { Secret } from '../../text/secret.ts';
import {
  type JsonAnswer,
  type JsonPlace,
  type JsonRequest,
  requestJson,
} from '../support/json-request.ts';
import type { NtfyMessage } from './message.ts';
import { authorization, type NtfyTarget } from './options.ts';
import type { ChannelCheck } from '../../core/channel.ts';

/** The requests to one server; they never reject. */
export function ntfyServer(
  { server, token }: Pick<NtfyTarget, 'server' | 'token'>,
  { outbound, now }: Pick<JsonPlace, 'outbound' | 'now'>,
) {
  /** @param using another token, or none; default: that of the target */
  async function call(
    path: string,
    request: Pick<JsonRequest, 'method' | 'body' | 'signal'>,
    using: Secret | null = token,
  ): Promise<JsonAnswer> {
    const to = { url: `${server}${path}`, headers: authorization(using) };
    const place = { place: 'ntfy', outbound, now };
    return withReason(await requestJson({ ...request, ...to }, place));
  }
  return {
    call,
    publish: (message: NtfyMessage, signal: AbortSignal) =>
      call('/', { method: 'POST', body: message, signal }),
  };
}

const refusal = z.object({ code: z.int() });

/** Too many requests: the server does not say for how long. */
const RATE_LIMITED = 42901;
/** By default it allows one more request after this time (`visitor-request-limit-replenish`), ms. */
const REPLENISH_MS = 5_000;

/** Reasons by the server's error code (https://docs.ntfy.sh/publish/#limitations, server/errors.go of 2.27). */
const reasons: Readonly<Record<number, string>> = {
  40014: 'the message is longer than the server allows',
  40301: 'the token is not allowed to publish to the topic',
  41301: 'the message is longer than the server allows',
  [RATE_LIMITED]: 'too many requests',
  42908: 'the daily number of messages is used up',
};

/** Adds the server's reason. A 403 is about the topic or the token, so every further message would get it as well. */
function withReason(answer: JsonAnswer): JsonAnswer {
  const { outcome, status, text } = answer;
  if (outcome.type === 'delivered') return answer;
  const code = refusal.safeParse(parseJson(text)).data?.code ?? 0;
  const known = reasons[code];
  const reason = known === undefined ? outcome.reason : `${outcome.reason}: ${known}`;
  if (status === 403) return { ...answer, outcome: failed(reason, { channelBroken: true }) };
  if (outcome.type === 'retry' && code === RATE_LIMITED) {
    return { ...answer, outcome: { afterMs: REPLENISH_MS, ...outcome, reason } };
  }
  return { ...answer, outcome: { ...outcome, reason } };
}

/** Checks without publishing. @param trouble why the answers cannot be read; null: they can */
export async function checkTarget(
  { server, hostname, topic, token, answers }: NtfyTarget,
  {
    fetch,
    trouble,
    signal,
  }: { fetch: Outbound['fetch']; trouble: string | null; signal: AbortSignal },
): Promise<ChannelCheck> {
  async function askToRead(of: Secret, using: Secret | null): Promise<number | null> {
    const url = `${server}/${of.reveal()}/auth`;
    const request = { headers: authorization(using), redirect: 'manual', signal } as const;
    const response = await fetch(url, request).catch(() => null);
    await response?.body?.cancel();
    return response?.status ?? null;
  }

  const status = await askToRead(topic, token);
  if (status === null) return { ok: false, summary: `Cannot reach "${hostname}"` };
  if (status === 401) {
    return {
      ok: false,
      summary: `"${hostname}" refuses the token`,
      hint: 'Create a token with "ntfy token add USER" or on the account page, and put it into "token"',
    };
  }
  // 403: a token that may write but not read is enough to publish.
  if (status !== 200 && status !== 403) {
    return { ok: false, summary: `"${hostname}" answered ${status}: not an ntfy server?` };
  }
  const readers =
    (await askToRead(topic, null)) === 200
      ? 'everyone who knows the topic can read it, so requests cannot be decided there'
      : status === 200
        ? '"token" can read the topic, and your programs can read "token": requests cannot be decided there'
        : 'requests can be decided there';
  if (answers === null) {
    return { ok: true, summary: `Publishes to ${hostname}, without buttons; ${readers}` };
  }
  if ((await askToRead(answers.topic, token)) !== 200) {
    return {
      ok: false,
      summary: `Cannot read "answer_topic" on ${hostname}: buttons have no effect`,
      hint: 'Allow the user of "token" to read it: ntfy access USER ANSWER_TOPIC read-only',
    };
  }
  return trouble === null
    ? { ok: true, summary: `Publishes to ${hostname}, with buttons; ${readers}` }
    : { ok: false, summary: `Buttons have no effect: ${trouble}` };
}
