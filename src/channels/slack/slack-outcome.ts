import type { Outcome } from '../../core/outcome.ts';
import { failed, retry } from '../../core/outcome.ts';
import type { HttpAnswer } from '../support/http-outcome.ts';
import { statusOutcome } from '../support/http-outcome.ts';

/** An answer of an incoming webhook, with at most the first 64 KB of its text. */
export interface SlackAnswer extends HttpAnswer {
  readonly text: string;
}

/**
 * Errors that every further message would meet as well
 * (https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks#handling_errors).
 */
const disabling: ReadonlySet<string> = new Set([
  'action_prohibited',
  'channel_is_archived',
  'channel_not_found',
  'invalid_token',
  'no_active_hooks',
  'no_service',
  'no_team',
  'posting_to_general_channel_denied',
  'team_disabled',
  'token_revoked',
]);

/** Errors of one message; named so that a reason can repeat them, since no other text of an answer may get there. */
const passing: ReadonlySet<string> = new Set([
  'invalid_blocks',
  'invalid_payload',
  'no_text',
  'rate_limited',
  'rollup_error',
  'too_many_attachments',
  'user_not_found',
]);

/**
 * The outcome of Slack's answer: a 2xx counts only with the text "ok", since a login page or a gateway's
 * `{"ok":false}` comes with 200, too.
 */
export function slackOutcome(answer: SlackAnswer, now: number): Outcome {
  const outcome = statusOutcome(answer, 'Slack', now);
  if (outcome.type === 'delivered') return answer.text === 'ok' ? outcome : withoutOk(answer);

  const isDisabling = disabling.has(answer.text);
  if (!isDisabling && !passing.has(answer.text)) return outcome;
  const reason = `${outcome.reason} "${answer.text}"`;
  if (outcome.type === 'retry') return { ...outcome, reason };
  return failed(reason, isDisabling ? { channelBroken: true } : {});
}

function withoutOk({ status, text }: SlackAnswer): Outcome {
  const reason = `Cannot deliver to Slack: it answered ${status} without "ok"`;
  // A page, or nothing, comes from something in between, such as a proxy that wants a login first. A server that
  // says something else by itself will say it again, and may have posted the message each time.
  const between = text === '' || /^\s*</.test(text);
  return between ? retry(reason, { possibleDuplicate: true }) : failed(reason);
}
