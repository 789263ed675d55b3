import { z } from 'zod';

import {
  type Channel,
  type ChannelCheck,
  type ChannelDependencies,
  defineChannel,
} from '../../core/channel.ts';
import { delivered, failed, type Outcome, retry } from '../../core/outcome.ts';
import { sha256 } from '../../platform/crypto.ts';
import { parseJson } from '../../platform/json.ts';
import { requireProxy } from '../../platform/outbound/outbound-port.ts';
import { RecentMap } from '../../platform/recent-map.ts';
import { cutText, displayLine } from '../../text/sanitize.ts';
import {
  createHomeserver,
  matrixOptions,
  type MatrixOptions,
  type MatrixTarget,
  readMatrixTarget,
} from './homeserver.ts';
import { type Notification, toneOf } from '../../core/notification.ts';
import { escapeHtml } from '../../text/escape.ts';
import { toneSigns } from '../support/chat-text.ts';

const MOST_THREADS = 500;

/** What was sent: its room and event, and the first event of its thread. */
const reference = z.object({ room: z.string(), event: z.string(), thread: z.string().nullable() });

/** Without end-to-end encryption. The delivery's id is the transaction id, so a repeat never shows a second message. */
export default defineChannel({
  type: 'matrix',
  summary: 'Sends messages to an unencrypted Matrix room',
  audience: 'person',
  reach: 'far',
  recipient: 'a Matrix room',
  can: { update: true, withdraw: 'needs `when_over: delete`', thread: true },
  options: matrixOptions,
  questions: {
    server: { message: 'Matrix: address of the homeserver' },
    token: { message: 'Matrix: access token of the account (kept in a file only you can read)' },
    room: { message: 'Matrix: id or alias of the room' },
  },
  // Synapse lets an account send 10 messages in a burst, then one every 5 s (rc_message).
  limits: { timeoutMs: 10_000, concurrency: 1, burst: 8, refillMs: 5_000, maxAttempts: 12 },
  create: async (options, dependencies) => {
    const target = await readMatrixTarget(options, dependencies);
    requireProxy(dependencies.outbound, target.server);
    return createMatrix(options, target, dependencies);
  },
});

function createMatrix(
  options: MatrixOptions,
  target: MatrixTarget,
  dependencies: ChannelDependencies,
): Channel {
  const homeserver = createHomeserver(target, dependencies);
  /** The first message of each session, by its group key, oldest first. */
  const threads = new RecentMap<string, string>(MOST_THREADS);

  const channel: Channel = {
    lacks: [
      ...(options.when_over === 'delete' ? [] : (['withdraw'] as const)),
      ...(options.threads ? [] : (['thread'] as const)),
    ],

    async send(notification, { signal }) {
      const room = await homeserver.room(signal);
      if ('outcome' in room) return room.outcome;
      const { groupKey, deliveryId: transaction } = notification;
      const thread = options.threads ? (threads.get(groupKey) ?? null) : null;
      const content = matrixMessage(notification, thread);
      const path = 'send/m.room.message';
      const sending = { transaction, content, signal };
      const { event, outcome, status } = await homeserver.put(room.id, path, sending);
      if (event === null) {
        if (status !== 400 || thread === null) return outcome;
        // A server refuses a thread whose first message it does not know: the next attempt begins another one.
        threads.delete(groupKey);
        return retry('Cannot deliver to Matrix: the thread no longer exists');
      }
      const root = thread ?? event;
      if (options.threads) threads.set(groupKey, root);
      return delivered({ ref: JSON.stringify({ room: room.id, event, thread: root }) });
    },

    async update(ref, notification, { signal }) {
      const { data: sent } = reference.safeParse(parseJson(ref));
      if (sent === undefined) return failed('Cannot change the message: the reference is damaged');
      const transaction = `over-${notification.deliveryId}`;
      const content = editOf(notification, sent.event);
      const path = 'send/m.room.message';
      return (await homeserver.put(sent.room, path, { transaction, content, signal })).outcome;
    },

    async find({ deliveryId }, { signal }) {
      const room = await homeserver.room(signal);
      if ('outcome' in room) return room.outcome;
      const { found, outcome } = await homeserver.find(room.id, deliveryId, signal);
      if (found === null) return outcome;
      const { event, thread } = found;
      return delivered({ ref: JSON.stringify({ room: room.id, event, thread: thread ?? event }) });
    },

    resubscribe(ref, { groupKey }) {
      const { data: sent } = reference.safeParse(parseJson(ref));
      const thread = sent?.thread ?? null;
      if (thread !== null && !threads.has(groupKey)) threads.set(groupKey, thread);
      return Promise.resolve();
    },

    async check(signal): Promise<ChannelCheck> {
      return checkRoom(await readMatrixTarget(options, dependencies), dependencies, signal);
    },

    close: () => Promise.resolve(),
  };
  if (options.when_over === 'edit') return channel;
  return {
    ...channel,
    async withdraw(ref, { signal }): Promise<Outcome> {
      const { data: sent } = reference.safeParse(parseJson(ref));
      if (sent === undefined) return failed('Cannot delete the message: the reference is damaged');
      const path = `redact/${encodeURIComponent(sent.event)}`;
      const transaction = `redact-${sha256(sent.event).slice(0, 32)}`;
      return (await homeserver.put(sent.room, path, { transaction, content: {}, signal })).outcome;
    },
  };
}

/** Whether the token is accepted, the account is in the room, and the room is not encrypted, without sending. */
async function checkRoom(
  target: MatrixTarget,
  dependencies: ChannelDependencies,
  signal: AbortSignal,
): Promise<ChannelCheck> {
  const homeserver = createHomeserver(target, dependencies);
  const { id, outcome } = await homeserver.account(signal);
  if (outcome.type !== 'delivered') {
    return { ok: false, summary: outcome.reason.replace('deliver to', 'use') };
  }
  if (id === null) return { ok: false, summary: `"${target.hostname}" is not a homeserver` };
  const account = displayLine(id).slice(0, 255);
  const room = await homeserver.room(signal);
  if (!('outcome' in room)) return { ok: true, summary: `Sends to "${target.room}" as ${account}` };
  if (room.isEncrypted) {
    return {
      ok: false,
      summary: `The room "${target.room}" is encrypted, which hookbell does not support`,
      hint: 'Create a room without encryption; it cannot be turned off in an existing one',
    };
  }
  const reason = room.outcome.type === 'delivered' ? '' : room.outcome.reason;
  return {
    ok: false,
    summary: `${account} cannot write to "${target.room}": ${reason.replace(/^.*?: /, '')}`,
    hint: `Invite ${account} to the room, and accept the invitation in a Matrix client`,
  };
}

const MAX_TITLE = 300;
/** 64 KB (https://spec.matrix.org/latest/client-server-api/#size-limits) with 8 bytes a character; an edit holds its text twice. */
const MAX_BODY = 6_000;
const MAX_EDIT = 2_000;

/** Plain text, and the same in HTML without markup (https://spec.matrix.org/latest/client-server-api/#mtext). */
function shownContent(notification: Notification, max: number) {
  const { severity, quietly, kind } = notification;
  const emoji = toneSigns[toneOf(notification)];
  const title = cutText(notification.title.toWellFormed(), MAX_TITLE);
  const body = cutText(notification.body.toWellFormed(), max);
  // By the default rules of clients a notice makes no sound.
  const isNotice = quietly || (severity === 'info' && kind !== 'test');
  return {
    msgtype: isNotice ? 'm.notice' : 'm.text',
    body: `${emoji} ${title}\n${body}`,
    format: 'org.matrix.custom.html',
    formatted_body: `${emoji} <strong>${escapeHtml(title)}</strong><br><pre><code>${escapeHtml(body)}</code></pre>`,
    // The message notifies no one by name, whatever its text says.
    'm.mentions': {},
  };
}

/** https://spec.matrix.org/latest/client-server-api/#threading. @param thread its first message; null: none */
function matrixMessage(notification: Notification, thread: string | null): object {
  const content = shownContent(notification, MAX_BODY);
  if (thread === null) return content;
  const relation = {
    rel_type: 'm.thread',
    event_id: thread,
    is_falling_back: true,
    'm.in_reply_to': { event_id: thread },
  };
  return { ...content, 'm.relates_to': relation };
}

/** Replaces the text of an event (https://spec.matrix.org/latest/client-server-api/#event-replacements). */
function editOf(notification: Notification, event: string): object {
  const content = shownContent(notification, MAX_EDIT);
  return {
    ...content,
    body: `* ${content.body}`,
    formatted_body: `* ${content.formatted_body}`,
    'm.new_content': content,
    'm.relates_to': { rel_type: 'm.replace', event_id: event },
  };
}
