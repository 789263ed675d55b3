import { delivered, failed, type Outcome, retry } from '../../core/outcome.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../platform/json.ts';
import type { Secret } from '../../text/secret.ts';
import { type JsonPlace, notFrom, statusOutcome, withoutAnswer } from '../support/json-request.ts';
import { captureFetch, type SlackAnswer } from './capture-fetch.ts';
import type { SlackMemory } from './memory.ts';

export interface SlackResponse {
  readonly outcome: Outcome;
  /** The document of a call that succeeded; empty for every other. */
  readonly data: JsonObject;
  /** Slack's name of the error, if it is a known one; null: none, or unknown. */
  readonly error: string | null;
  /** Scopes of the token, as Slack reports them with every response. */
  readonly scopes: readonly string[];
}

/** Calls a method of the Web API (https://docs.slack.dev/apis/web-api/); never throws. */
export type CallSlack = (
  method: string,
  parameters: JsonObject,
  signal: AbortSignal,
) => Promise<SlackResponse>;

/** Errors that every further message would get as well, and what to do (https://docs.slack.dev/reference/methods/chat.postMessage). */
const disabling: Readonly<Record<string, string>> = {
  account_inactive: 'the app was removed from the workspace',
  channel_not_found: 'the channel does not exist, or the app was not invited to it',
  invalid_auth: 'the token is refused',
  is_archived: 'the channel is archived',
  missing_scope:
    'the app lacks a scope: install it again with the output of "hookbell channel manifest"',
  no_permission: 'the token may not post there',
  not_authed: 'the token is refused',
  not_in_channel: 'the app is not in the channel: invite it with "/invite"',
  restricted_action: 'the workspace does not let the app post there',
  team_access_not_granted: 'the app is not installed in the workspace',
  token_expired: 'the token has expired',
  token_revoked: 'the token was revoked',
  users_not_found: 'no member of the workspace has that address',
};

/** Responses with the messages of other people: a page of 100, each with at most 40,000 characters. */
const MOST_BYTES: Readonly<Record<string, number>> = {
  'conversations.history': 4_000_000,
  'conversations.replies': 4_000_000,
};

const passing: ReadonlySet<string> = new Set([
  'fatal_error',
  'internal_error',
  'rate_limited',
  'ratelimited',
  'request_timeout',
  'service_unavailable',
  'team_added_to_org',
]);

/** Errors of one message; listed so that a reason can name them, because no other text of a response may get there. */
const ofMessage: ReadonlySet<string> = new Set([
  'cant_update_message',
  'edit_window_closed',
  'invalid_blocks',
  'message_not_found',
  'metadata_too_large',
  'msg_blocks_too_long',
  'msg_too_long',
  'no_text',
  'thread_not_found',
  'too_many_attachments',
]);

/** Without its retries, queue and time limit: retries are rows of the delivery worker. @param server with "/api/" */
export function createCallSlack(
  { server, token }: { readonly server: string; readonly token: Secret },
  {
    outbound,
    now,
    pauses = pausesInMemory(),
  }: Pick<JsonPlace, 'outbound' | 'now'> & { readonly pauses?: SlackMemory['pauses'] },
): CallSlack {
  return async (method, parameters, signal) => {
    const waitMs = pauses.until(method) - now();
    if (waitMs > 0) {
      return { ...empty, outcome: retry('Slack asked for a pause', { afterMs: waitMs }) };
    }
    const { fetch, answer } = captureFetch(outbound, signal, MOST_BYTES[method]);
    try {
      const { LogLevel, WebClient } = await import('./sdk-app.ts');
      const client = new WebClient(token.reveal(), {
        slackApiUrl: server,
        allowAbsoluteUrls: false,
        fetch,
        logger: quietLogger(LogLevel.ERROR),
        rejectRateLimitedCalls: true,
        retryConfig: { retries: 0 },
      });
      await client.apiCall(method, wellFormed(parameters));
    } catch (error) {
      if (answer() === null) {
        return { ...empty, outcome: withoutAnswer(causeOf(error), 'Slack', signal) };
      }
    }
    const received = answer();
    if (received === null) {
      return { ...empty, outcome: retry('Cannot deliver to Slack: no response') };
    }
    const response = responseOf(received, now());
    const { outcome } = response;
    if (outcome.type === 'retry' && outcome.afterMs !== undefined) {
      pauses.set(method, now() + outcome.afterMs);
    }
    return response;
  };
}

const empty = { data: {}, error: null, scopes: [] };

function pausesInMemory(): SlackMemory['pauses'] {
  const times = new Map<string, number>();
  return {
    until: (method) => times.get(method) ?? 0,
    set: (method, time) => void times.set(method, time),
  };
}

/** Slack's client throws on a lone surrogate; inside of JSON it is escaped. */
function wellFormed(parameters: JsonObject): JsonObject {
  const entries = Object.entries(parameters);
  return Object.fromEntries(
    entries.map(([key, value]) => [key, typeof value === 'string' ? value.toWellFormed() : value]),
  );
}

/** Slack's client hides the error of the connection in its own. */
function causeOf(error: unknown): unknown {
  return error instanceof Error && 'original' in error ? error.original : error;
}

const ignore = (): void => undefined;

/** The SDK would write to standard error, texts of messages among it. */
export function quietLogger<Level>(level: Level) {
  return {
    debug: ignore,
    info: ignore,
    warn: ignore,
    error: ignore,
    setLevel: ignore,
    setName: ignore,
    getLevel: (): Level => level,
  };
}

function responseOf({ text, scopes, ...answer }: SlackAnswer, now: number): SlackResponse {
  const outcome = statusOutcome(answer, 'Slack', now);
  const parsed = parseJson(text);
  const data = isJsonObject(parsed) ? parsed : {};
  const found = { ...empty, scopes: scopes.split(',').map((scope) => scope.trim()) };
  if (outcome.type === 'delivered' && data['ok'] === true) {
    return { ...found, outcome: delivered(), data };
  }
  const error = typeof data['error'] === 'string' ? data['error'] : '';
  const hint = disabling[error];
  if (hint !== undefined) {
    const reason = `Cannot deliver to Slack: ${hint} (${error})`;
    return { ...found, outcome: failed(reason, { channelBroken: true }), error };
  }
  if (outcome.type !== 'delivered') return { ...found, outcome };
  const reasonOfSlack = `Cannot deliver to Slack: ${error}`;
  if (passing.has(error)) return { ...found, outcome: retry(reasonOfSlack), error };
  if (ofMessage.has(error)) return { ...found, outcome: failed(reasonOfSlack), error };
  // Something in between, such as a page that requires a login, answers 200 as well.
  const refused =
    data['ok'] === false
      ? failed('Cannot deliver to Slack: it refused the message')
      : notFrom('Slack', 'Slack');
  return { ...found, outcome: refused };
}
