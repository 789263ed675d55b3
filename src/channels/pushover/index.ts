import { z } from 'zod';

import {
  type Channel,
  type ChannelCheck,
  type ChannelDependencies,
  defineChannel,
} from '../../core/channel.ts';
import { isWaiting } from '../../core/hook-event.ts';
import type { Notification } from '../../core/notification.ts';
import { delivered, failed, type Outcome } from '../../core/outcome.ts';
import { parseJson } from '../../platform/json.ts';
import { requireProxy } from '../../platform/outbound/outbound-port.ts';
import { clampRetryAfter } from '../../platform/retry.ts';
import { idleTimer } from '../../platform/time.ts';
import { cutText } from '../../text/sanitize.ts';
import { POSSIBLE_DUPLICATE } from '../support/chat-text.ts';
import {
  type JsonAnswer,
  type JsonRequest,
  notFrom,
  requestJson,
} from '../support/json-request.ts';
import {
  type PushoverOptions,
  pushoverOptions,
  type PushoverTarget,
  readPushoverTarget,
} from './options.ts';
import { createReceiptWatch, type ReceiptState } from './receipts.ts';

/** https://pushover.net/api#limits: characters. */
const MAX_TITLE = 250;
const MAX_MESSAGE = 1_024;
const EMERGENCY = 2;
/** The service wants at least this long between two attempts after a fault of its servers (https://pushover.net/api#friendly). */
const SERVER_FAULT_WAIT_MS = 5_000;

/** A receipt of an emergency: 30 letters and digits (https://pushover.net/api/receipts). */
const receiptId = z.string().regex(/^[A-Za-z0-9]{1,64}$/);
const reference = z.object({ receipt: receiptId });
const accepted = z.object({ status: z.literal(1), receipt: receiptId.optional() });
/** Names the parameter that is refused: `"token": "invalid"`. */
const refusal = z.object({
  status: z.literal(0),
  token: z.string().optional(),
  user: z.string().optional(),
});
const receiptStatus = z.object({ acknowledged: z.int(), expired: z.int() });
const usage = z.object({ limit: z.int(), remaining: z.int() });
const devices = z.object({ status: z.literal(1), devices: z.array(z.string()) });

/** An acknowledged emergency counts as seen; an answer elsewhere ends its repetitions. */
export default defineChannel({
  type: 'pushover',
  summary: 'Sends to the Pushover apps; an emergency repeats until you acknowledge it',
  audience: 'person',
  reach: 'far',
  recipient: 'your devices (Pushover)',
  can: { withdraw: 'needs `emergency`', acknowledge: 'needs `emergency`' },
  options: pushoverOptions,
  questions: {
    token: { message: 'Pushover: token of your application (kept in a file only you can read)' },
    user: { message: 'Pushover: your user key (kept in a file only you can read)' },
  },
  // At most two connections (https://pushover.net/api#friendly); 10,000 messages a month.
  limits: { timeoutMs: 10_000, concurrency: 2, burst: 20, refillMs: 2_000, maxAttempts: 12 },
  create: async (options, dependencies) => {
    const target = await readPushoverTarget(options, dependencies);
    requireProxy(dependencies.outbound, target.server);
    return createPushover(options, target, dependencies);
  },
});

function createPushover(
  options: PushoverOptions,
  target: PushoverTarget,
  dependencies: ChannelDependencies,
): Channel {
  const { outbound, now, onReaction } = dependencies;
  const receipts = createReceiptWatch({
    ask: receiptState,
    onAcknowledged: (deliveryId) => onReaction({ deliveryId, type: 'acknowledged', opens: null }),
    startTimer: idleTimer,
    now,
  });

  async function call(
    path: string,
    request: Pick<JsonRequest, 'method' | 'body' | 'signal'>,
    { server }: PushoverTarget = target,
  ): Promise<JsonAnswer> {
    const answer = await requestJson(
      { ...request, url: `${server}/1/${path}` },
      { place: 'Pushover', outbound, now, disabling: [403, 404] },
    );
    return { ...answer, outcome: refined(answer, now()) };
  }

  async function receiptState(receipt: string, signal: AbortSignal): Promise<ReceiptState> {
    const path = `receipts/${receipt}.json?token=${target.token.reveal()}`;
    const { outcome, text } = await call(path, { method: 'GET', signal });
    if (outcome.type === 'failed') return 'over';
    const { data } = receiptStatus.safeParse(parseJson(text));
    if (data === undefined) return 'unknown';
    return data.acknowledged === 1 ? 'acknowledged' : data.expired === 1 ? 'over' : 'waiting';
  }

  const watch = (receipt: string, deliveryId: string): void =>
    receipts.add(receipt, deliveryId, now() + options.expire * 1_000);

  return {
    lacks: options.emergency === 'never' ? ['withdraw', 'acknowledge'] : [],

    async send(notification, { signal }) {
      const priority = priorityOf(notification, options.emergency);
      const body = {
        token: target.token.reveal(),
        user: target.user.reveal(),
        ...messageOf(notification),
        priority,
        ...(options.device !== undefined && { device: options.device }),
        ...(priority === EMERGENCY && { retry: options.retry, expire: options.expire }),
      };
      const { outcome, text } = await call('messages.json', { method: 'POST', body, signal });
      if (outcome.type !== 'delivered') return outcome;
      const { data } = accepted.safeParse(parseJson(text));
      if (data === undefined) return notFrom('Pushover', 'Pushover');
      const { receipt } = data;
      if (receipt === undefined) return delivered();
      watch(receipt, notification.deliveryId);
      return delivered({ ref: JSON.stringify({ receipt }) });
    },

    async withdraw(ref, { signal }) {
      const { data: sent } = reference.safeParse(parseJson(ref));
      if (sent === undefined) return failed('Cannot end the emergency: the reference is damaged');
      receipts.remove(sent.receipt);
      const body = { token: target.token.reveal() };
      const path = `receipts/${sent.receipt}/cancel.json`;
      return (await call(path, { method: 'POST', body, signal })).outcome;
    },

    resubscribe(ref, { deliveryId }) {
      const { data: sent } = reference.safeParse(parseJson(ref));
      if (sent !== undefined) watch(sent.receipt, deliveryId);
      return Promise.resolve();
    },

    async check(signal): Promise<ChannelCheck> {
      const again = await readPushoverTarget(options, dependencies);
      return await checkTarget(again, options.device, (path, request) =>
        call(path, { ...request, signal }, again),
      );
    },

    close: () => receipts.close(),
  };
}

/** Whether the keys are accepted and how many messages are left, without sending (https://pushover.net/api#validate). */
async function checkTarget(
  { hostname, token, user }: PushoverTarget,
  device: string | undefined,
  call: (path: string, request: Pick<JsonRequest, 'method' | 'body'>) => Promise<JsonAnswer>,
): Promise<ChannelCheck> {
  const body = { token: token.reveal(), user: user.reveal() };
  const valid = await call('users/validate.json', { method: 'POST', body });
  if (valid.outcome.type !== 'delivered') {
    const summary = valid.outcome.reason.replace('deliver to', 'use');
    if (valid.outcome.type === 'retry') return { ok: false, summary };
    return { ok: false, summary, hint: 'Compare "token" and "user" with https://pushover.net' };
  }
  const { data: known } = devices.safeParse(parseJson(valid.text));
  if (known === undefined) return { ok: false, summary: `"${hostname}" is not Pushover` };
  if (device !== undefined && !known.devices.includes(device)) {
    return {
      ok: false,
      summary: `The user has no device "${device}"`,
      hint: 'Correct "device": names are on the first page of https://pushover.net',
    };
  }
  const asked = await call(`apps/limits.json?token=${token.reveal()}`, { method: 'GET' });
  const { data: left } = usage.safeParse(parseJson(asked.text));
  const quota =
    left === undefined ? '' : `; ${left.remaining} of ${left.limit} messages left this month`;
  return left?.remaining === 0
    ? { ok: false, summary: `The application has no messages left this month` }
    : { ok: true, summary: `Sends to Pushover${quota}` };
}

/** https://pushover.net/api#priority: -1 makes no sound, 1 passes quiet hours, 2 repeats. */
function priorityOf(
  { severity, kind, quietly }: Notification,
  emergency: PushoverOptions['emergency'],
): number {
  const isFailure = severity === 'critical';
  if (quietly || (severity === 'info' && !isWaiting(kind))) return -1;
  if (kind !== 'test' && emergency === 'always' && (isFailure || isWaiting(kind))) return EMERGENCY;
  if (kind !== 'test' && emergency === 'critical' && isFailure) return EMERGENCY;
  return isFailure ? 1 : 0;
}

/** Texts are plain: without "html" nothing in them is markup. */
function messageOf({ title, body, at, possibleDuplicate }: Notification) {
  const remark = possibleDuplicate ? `\n${POSSIBLE_DUPLICATE}` : '';
  const message = cutText(body.toWellFormed().trim(), MAX_MESSAGE - remark.length) || '-';
  return {
    title: cutText(title.toWellFormed().trim(), MAX_TITLE),
    message: `${message}${remark}`,
    timestamp: Math.floor(at / 1_000),
  };
}

/** A 429 means that the messages of the month are used up (https://pushover.net/api#limits); its headers say until when. */
function refined({ outcome, status, text, headers }: JsonAnswer, now: number): Outcome {
  const { data } = refusal.safeParse(parseJson(text));
  if (outcome.type === 'failed') {
    const which = data?.token === undefined ? (data?.user === undefined ? null : 'user') : 'token';
    if (which === null) return outcome;
    return failed(`${outcome.reason}: the ${which} is refused`, { channelBroken: true });
  }
  if (outcome.type !== 'retry') return outcome;
  if (status >= 500) return { afterMs: SERVER_FAULT_WAIT_MS, ...outcome };
  if (status !== 429) return outcome;
  const resetsAt = Number(headers.get('x-limit-app-reset') ?? 'none') * 1_000;
  if (Number.isNaN(resetsAt)) return outcome;
  const afterMs = clampRetryAfter(resetsAt - now);
  return { ...outcome, reason: `${outcome.reason}: no messages are left this month`, afterMs };
}
