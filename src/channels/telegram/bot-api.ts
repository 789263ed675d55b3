import { z } from 'zod';

import { delivered, failed, type Outcome } from '../../core/outcome.ts';
import { parseJson } from '../../platform/json.ts';
import { clampRetryAfter } from '../../platform/retry.ts';
import type { Secret } from '../../text/secret.ts';
import { type JsonPlace, notFrom, requestJson } from '../support/json-request.ts';

const response = z.object({
  ok: z.boolean(),
  result: z.unknown().optional(),
  description: z.string().optional(),
  parameters: z.object({ retry_after: z.number().optional() }).optional(),
});

export interface BotAnswer {
  readonly outcome: Outcome;
  /** The `result` of a request that succeeded; undefined for every other. */
  readonly result: unknown;
  /** What the service says about a refusal, from `faults`; null: none of these. */
  readonly fault: Fault | null;
}

/** Calls a method of the Bot API (https://core.telegram.org/bots/api#making-requests); never throws. */
export type CallBot = (
  method: string,
  parameters: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
) => Promise<BotAnswer>;

/** Refusals that mean something to the channel, by a part of their text. */
const faults = [
  ['chat not found', 'the bot does not know the chat: send it a message, or add it to the group'],
  ['group chat was upgraded', 'the group became a supergroup, which has another id'],
  ['bot was blocked', 'the bot is blocked in the chat'],
  ['bot was kicked', 'the bot was removed from the group'],
  ['bot is not a member', 'the bot is not in the group'],
  ['user is deactivated', 'the account of the chat is deleted'],
  ['not enough rights', 'the bot may not do that in the group'],
  ['have no rights to send', 'the bot may not send messages in the group'],
  ['message is not modified', 'the message is unchanged'],
  ['message thread not found', 'the topic does not exist'],
  ['chat is not a forum', 'the group has no topics'],
  ['message to edit not found', 'the message no longer exists'],
  ['message to delete not found', 'the message no longer exists'],
  ["message can't be", 'the message is too old'],
] as const;
export type Fault = (typeof faults)[number][0];

const disabling: ReadonlySet<Fault> = new Set<Fault>([
  'chat not found',
  'group chat was upgraded',
  'bot was blocked',
  'bot was kicked',
  'bot is not a member',
  'user is deactivated',
  'have no rights to send',
  'chat is not a forum',
]);

/** The address of a method: it holds the token, so it is neither shown nor logged. */
export function methodUrl(server: string, token: Secret, method: string): string {
  return `${server}/bot${token.reveal()}/${method}`;
}

export function createCallBot(
  { server, token }: { readonly server: string; readonly token: Secret },
  place: Pick<JsonPlace, 'outbound' | 'now'>,
): CallBot {
  return async (method, body, signal) => {
    const url = methodUrl(server, token, method);
    const answer = await requestJson(
      { method: 'POST', url, body, signal },
      { ...place, place: 'Telegram' },
    );
    return answerOf(answer.status, answer.outcome, answer.text);
  };
}

/** 404 is the answer to a malformed token, 401 to a revoked one; a 403 is about the chat or the bot. */
function answerOf(status: number, outcome: Outcome, text: string): BotAnswer {
  const { data } = response.safeParse(parseJson(text));
  if (outcome.type === 'delivered') {
    if (data?.ok === true) return { outcome: delivered(), result: data.result, fault: null };
    return { outcome: notFrom('Telegram', 'a Bot API'), result: undefined, fault: null };
  }
  const description = data?.description ?? '';
  const [fault = null, meaning = null] = faults.find(([one]) => description.includes(one)) ?? [];
  const isBroken =
    [401, 403, 404, 410].includes(status) || (fault !== null && disabling.has(fault));
  const known = meaning ?? (status === 401 || status === 404 ? 'the bot token is refused' : null);
  const reason = known === null ? outcome.reason : `${outcome.reason}: ${known}`;
  const seconds = data?.parameters?.retry_after;
  const wait = seconds === undefined ? {} : { afterMs: clampRetryAfter(seconds * 1_000) };
  return {
    outcome:
      outcome.type === 'retry'
        ? { ...outcome, reason, ...wait }
        : failed(reason, isBroken ? { channelBroken: true } : {}),
    result: undefined,
    fault,
  };
}
