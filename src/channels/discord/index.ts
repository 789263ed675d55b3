import { z } from 'zod';

import { type Channel, type ChannelDependencies, defineChannel } from '../../core/channel.ts';
import { delivered, failed, type Outcome } from '../../core/outcome.ts';
import { parseJson } from '../../platform/json.ts';
import { requireProxy } from '../../platform/outbound/outbound-port.ts';
import { parseRetryAfter } from '../../platform/retry.ts';
import type { Secret } from '../../text/secret.ts';
import { readWebhook, type WebhookForm, webhookOption } from '../support/incoming-webhook.ts';
import {
  foreignAnswer,
  type JsonAnswer,
  type JsonRequest,
  requestJson,
} from '../support/json-request.ts';
import type { Notification } from '../../core/notification.ts';
import { cutEscaped } from '../../text/sanitize.ts';
import { chatText, escapeChat, replyMarkdown } from '../support/chat-text.ts';

const place = 'Discord';

const form: WebhookForm = {
  example: 'https://discord.com/api/webhooks/…/…',
  path: /^\/api\/(?:v\d+\/)?webhooks\/\d+\/[\w-]+\/?$/,
};

const discordOptions = z.strictObject({
  webhook: webhookOption(form),
  thread: z
    .string()
    .regex(/^\d{5,20}$/, 'is not the id of a thread: a number in quotes')
    .optional()
    .describe('Id of a thread of the channel to post in, in quotes. A forum channel needs one'),
  when_over: z
    .enum(['delete', 'edit'])
    .default('delete')
    .describe('How to handle a message when its alert is answered'),
});

type DiscordOptions = z.output<typeof discordOptions>;
type Request = Pick<JsonRequest, 'method' | 'body' | 'signal'>;

const messageId = z.string().regex(/^\d{1,25}$/);
const posted = z.object({ id: messageId });
const webhookObject = z.object({ id: z.string(), channel_id: z.string().nullable() });
/** https://docs.discord.com/developers/topics/opcodes-and-status-codes#json */
const UNKNOWN_MESSAGE = 10_008;
const refusal = z.object({ code: z.int().optional(), retry_after: z.number().min(0).optional() });

/** Its answer names the message, which can be changed later (https://docs.discord.com/developers/resources/webhook). */
export default defineChannel({
  type: 'discord',
  summary: 'Posts to a Discord channel through a webhook, and deletes answered messages',
  audience: 'person',
  reach: 'far',
  recipient: 'Discord',
  can: {
    update: 'needs `when_over: edit`',
    withdraw: 'needs `when_over: delete`',
    reply: 'needs `reply_page`',
  },
  options: discordOptions,
  questions: {
    webhook: { message: 'Discord: address of the webhook (kept in a file only you can read)' },
  },
  // A webhook takes about 5 messages in 2 s and 30 a minute; the answers say when it is more.
  limits: { timeoutMs: 10_000, concurrency: 1, burst: 5, refillMs: 2_000, maxAttempts: 12 },
  create: async (options, dependencies) => {
    const read = (): Promise<Secret> => readWebhook(options.webhook, dependencies, form);
    const address = await read();
    requireProxy(dependencies.outbound, address.reveal());
    return createDiscord(address, options, { ...dependencies, read });
  },
});

function createDiscord(
  address: Secret,
  { thread, when_over: whenOver }: DiscordOptions,
  { outbound, now, read }: ChannelDependencies & { readonly read: () => Promise<Secret> },
): Channel {
  async function call(to: Secret, path: string, request: Request): Promise<JsonAnswer> {
    const url = new URL(to.reveal());
    url.pathname = `${url.pathname.replace(/\/$/, '')}${path}`;
    if (request.method === 'POST') url.searchParams.set('wait', 'true');
    if (thread !== undefined) url.searchParams.set('thread_id', thread);
    const service = { place, outbound, now, disabling: [403, 404] };
    const answer = await requestJson({ ...request, url: url.href }, service);
    return { ...answer, outcome: withWait(answer, now()) };
  }

  async function change(ref: string, request: Request): Promise<Outcome> {
    if (!messageId.safeParse(ref).success) {
      return failed('Cannot change the message in Discord: the reference is damaged');
    }
    const { outcome, text } = await call(address, `/messages/${ref}`, request);
    // Someone deleted it: nothing is left to change.
    const isGone = refusal.safeParse(parseJson(text)).data?.code === UNKNOWN_MESSAGE;
    return outcome.type === 'failed' && isGone ? delivered() : outcome;
  }

  return {
    lacks: whenOver === 'delete' ? ['update'] : ['withdraw'],

    async send(notification, { signal }) {
      const body = discordMessage(notification);
      const { outcome, text } = await call(address, '', { method: 'POST', body, signal });
      if (outcome.type !== 'delivered') return outcome;
      const { data } = posted.safeParse(parseJson(text));
      return data === undefined ? foreignAnswer(place, text) : delivered({ ref: data.id });
    },

    ...(whenOver === 'delete'
      ? { withdraw: (ref, { signal }) => change(ref, { method: 'DELETE', signal }) }
      : {
          update: (ref, notification, { signal }) => {
            const { flags: _, ...body } = discordMessage(notification);
            return change(ref, { method: 'PATCH', body, signal });
          },
        }),

    async check(signal) {
      const { outcome, text } = await call(await read(), '', { method: 'GET', signal });
      if (outcome.type !== 'delivered') {
        return {
          ok: false,
          summary: outcome.reason.replace('deliver to', 'use'),
          hint: 'Make a new webhook in the settings of the channel, and put its address into "webhook"',
        };
      }
      return webhookObject.safeParse(parseJson(text)).success
        ? { ok: true, summary: `Posts to ${place}; the webhook exists` }
        : { ok: false, summary: `The response is not from ${place}` };
    },

    close: () => Promise.resolve(),
  };
}

/** A wait is also in the text, in seconds (https://docs.discord.com/developers/topics/rate-limits). */
function withWait({ outcome, status, text }: JsonAnswer, now: number): Outcome {
  if (outcome.type !== 'retry' || status !== 429 || outcome.afterMs !== undefined) return outcome;
  const seconds = refusal.safeParse(parseJson(text)).data?.retry_after;
  const afterMs = seconds === undefined ? null : parseRetryAfter(`${Math.ceil(seconds)}`, now);
  return afterMs === null ? outcome : { ...outcome, afterMs };
}

/** Discord's limits for each part are higher; a headline is short. */
const TITLE_MAX = 500;
/** Of 4,096 characters, with room for a link to the reply page. */
const BODY_MAX = 3_500;

/** The client shows neither a push nor a sound. */
const SUPPRESS_NOTIFICATIONS = 4_096;

/** The message, escaped (https://docs.discord.com/developers/resources/webhook#execute-webhook). */
function discordMessage(notification: Notification) {
  const { sign, colour, title, body, note } = chatText(notification);
  const answer = replyMarkdown(notification, escapeChat);
  const link = answer === null ? '' : `\n\n${answer}`;
  return {
    content: `${sign} ${cutEscaped(title, TITLE_MAX, escapeChat)}`,
    embeds: [
      {
        description: `${cutEscaped(body, BODY_MAX, escapeChat)}${link}`,
        color: Number.parseInt(colour.slice(1), 16),
        ...(note !== null && { footer: { text: note } }),
      },
    ],
    // No mention in a text reaches anyone.
    allowed_mentions: { parse: [] },
    ...(notification.quietly && { flags: SUPPRESS_NOTIFICATIONS }),
  };
}
