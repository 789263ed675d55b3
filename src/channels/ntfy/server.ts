import { z } from 'zod';

import { failed } from '../../core/outcome.ts';
import { parseJson } from '../../platform/json.ts';
import type { Outbound } from '../../platform/outbound/outbound-port.ts';
import type { Secret } from '../../text/secret.ts';
import { type JsonAnswer, type JsonRequest, requestJson } from '../support/json-request.ts';
import type { NtfyMessage } from './message.ts';
import { authorization, type NtfyTarget } from './options.ts';

/** The requests to one server; they never reject. */
export interface NtfyServer {
  /** @param using another token, or none; default: that of the target */
  call(
    path: string,
    request: Pick<JsonRequest, 'method' | 'body' | 'signal'>,
    using?: Secret | null,
  ): Promise<JsonAnswer>;
  publish(message: NtfyMessage, signal: AbortSignal): Promise<JsonAnswer>;
}

export function ntfyServer(
  { server, token }: Pick<NtfyTarget, 'server' | 'token'>,
  { outbound, now }: { readonly outbound: Outbound; readonly now: () => number },
): NtfyServer {
  const call: NtfyServer['call'] = async (path, { method, body, signal }, using = token) =>
    withReason(
      await requestJson(
        { method, url: `${server}${path}`, headers: authorization(using), body, signal },
        { place: 'ntfy', outbound, now },
      ),
    );
  return {
    call,
    publish: (message, signal) => call('/', { method: 'POST', body: message, signal }),
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
