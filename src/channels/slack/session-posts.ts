import { z } from 'zod';

import type { Notification } from '../../core/notification.ts';
import { delivered, type Outcome, retry } from '../../core/outcome.ts';
import type { JsonObject } from '../../platform/json.ts';
import { RecentMap } from '../../platform/recent-map.ts';
import { rootMessage, type ShownState, stateOf, textsIn } from './app-message.ts';
import type { PostChanges } from './post-changes.ts';
import { sessionName, type SlackMemory, type Thread } from './memory.ts';
import type { CallSlack } from './web-api.ts';

/** What a post of ours carries, by which it is found again (https://docs.slack.dev/messaging/message-metadata). */
interface PostMark {
  readonly type: 'hookbell_session' | 'hookbell_delivery';
  readonly id: string;
}

interface FindContext {
  readonly isRepeat: boolean;
  readonly signal: AbortSignal;
}

/** The parameter of `chat.postMessage` that adds a mark. */
export function metadataOf({ type, id }: PostMark): JsonObject {
  return { event_type: type, event_payload: { id } };
}

/** A post was made at most this long before its notification is sent again, s. */
const LOOK_BACK_S = 86_400;
const PER_PAGE = 100;
/** Pages to look through: a busy channel or a long thread has several. */
const MOST_PAGES = 20;

const foundMessages = z.object({
  messages: z.array(
    z.looseObject({
      ts: z.string(),
      metadata: z
        .object({ event_type: z.string(), event_payload: z.record(z.string(), z.unknown()) })
        .optional()
        .catch(undefined),
    }),
  ),
  response_metadata: z.object({ next_cursor: z.string() }).optional().catch(undefined),
});

export type FoundPost =
  | { readonly post: JsonObject & { readonly ts: string } }
  | { readonly outcome: Outcome };

/** Finds a post of an earlier attempt; null: none. @param thread null: the channel itself */
export async function findPost(
  call: CallSlack,
  { channel, thread }: { channel: string; thread: string | null },
  mark: PostMark,
  { now, signal }: { now: number; signal: AbortSignal },
): Promise<FoundPost | null> {
  let cursor = '';
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const { outcome, data } = await call(
      thread === null ? 'conversations.history' : 'conversations.replies',
      {
        channel,
        ...(thread !== null && { ts: thread }),
        oldest: String(Math.floor(now / 1_000) - LOOK_BACK_S),
        limit: PER_PAGE,
        include_all_metadata: true,
        ...(cursor !== '' && { cursor }),
      },
      signal,
    );
    if (outcome.type !== 'delivered') return { outcome };
    const part = foundMessages.safeParse(data).data;
    const post = part?.messages.find(
      ({ metadata }) =>
        metadata?.event_type === mark.type && metadata.event_payload['id'] === mark.id,
    );
    if (post !== undefined) return { post };
    cursor = part?.response_metadata?.next_cursor ?? '';
    if (cursor === '') return null;
  }
  return null;
}

export const postReference = z.object({
  channel: z.string(),
  ts: z.string(),
  thread: z.string().nullable(),
  shown: z.string(),
});
export const posted = z.object({ channel: z.string(), ts: z.string(), message: z.looseObject({}) });

const MOST_SESSIONS = 500;

/** The thread of a notification's session; null: it has no session, or no thread yet. */
type FoundThread =
  | {
      readonly thread: Thread | null;
      /** True if it shows the state of this notification already. */
      readonly isNew?: boolean;
    }
  | { readonly outcome: Outcome };

/** The posts of sessions: their threads, and posts that an earlier attempt may have made. */
export function createSessionPosts({
  call,
  threads,
  changes,
  now,
}: {
  readonly call: CallSlack;
  readonly threads: SlackMemory['threads'];
  readonly changes: PostChanges;
  readonly now: () => number;
}) {
  /** When the notification happened whose state a thread shows, by session: an older one may be changed after it. */
  const shownOf = new RecentMap<string, number>(MOST_SESSIONS);

  /** Returns whether the state of this notification is shown from now on. */
  function isLatest(notification: Notification): boolean {
    const session = sessionName(notification);
    if (notification.at < (shownOf.get(session) ?? 0)) return false;
    shownOf.set(session, notification.at);
    return true;
  }

  /** Null if the session has none. */
  async function existing(
    channel: string,
    notification: Notification,
    { isRepeat, signal }: FindContext,
  ): Promise<FoundThread> {
    const session = sessionName(notification);
    const known = threads.of(session);
    if (known?.channel === channel) return { thread: known };
    if (!isRepeat) return { thread: null };
    const when = { now: now(), signal };
    const earlier = await findPost(call, { channel, thread: null }, sessionMark(session), when);
    if (earlier === null) return { thread: null };
    return 'outcome' in earlier ? earlier : keep(session, { channel, ts: earlier.post.ts });
  }

  function keep(session: string, thread: Thread): { thread: Thread } {
    threads.set(session, thread);
    return { thread };
  }

  return {
    /** The thread of the notification's session; begins one with its first message if there is none. */
    async thread(
      channel: string,
      notification: Notification,
      context: FindContext,
    ): Promise<FoundThread> {
      if (!hasThread(notification)) return { thread: null };
      const found = await existing(channel, notification, context);
      if ('outcome' in found || found.thread !== null) return found;
      const session = sessionName(notification);
      const metadata = metadataOf(sessionMark(session));
      const root = rootMessage(notification, stateOf(notification));
      const message = { channel, ...root, metadata };
      const { outcome, data } = await call('chat.postMessage', message, context.signal);
      if (outcome.type !== 'delivered') return { outcome };
      const { data: post } = posted.safeParse(data);
      return post === undefined
        ? { outcome: retry('Cannot deliver to Slack: it returned no message') }
        : { ...keep(session, { channel, ts: post.ts }), isNew: true };
    },

    /** The next notification of the session begins another thread. */
    forget: (notification: Notification) => threads.set(sessionName(notification), null),

    /** Changes the first message of the session's thread, unless it shows the state of a later notification. */
    showState(notification: Notification, state: ShownState): void {
      const thread = threads.of(sessionName(notification));
      if (thread !== null && isLatest(notification))
        changes.add({ ...thread, ...rootMessage(notification, state) });
    },

    /** `delivered` with the reference of the notification's post, or without one if there is none. */
    async find(channel: string, notification: Notification, signal: AbortSignal): Promise<Outcome> {
      const context = { isRepeat: true, signal };
      const found = hasThread(notification)
        ? await existing(channel, notification, context)
        : { thread: null };
      if ('outcome' in found) return found.outcome;
      const { thread } = found;
      if (hasThread(notification) && thread === null) return delivered();
      const mark = { type: 'hookbell_delivery', id: notification.deliveryId } as const;
      const where = { channel, thread: thread?.ts ?? null };
      const earlier = await findPost(call, where, mark, { now: now(), signal });
      if (earlier === null) return delivered();
      if ('outcome' in earlier) return earlier.outcome;
      return delivered({ ref: refOf(earlier.post, { channel, ts: earlier.post.ts }, thread) });
    },
  };
}

function sessionMark(id: string): PostMark {
  return { type: 'hookbell_session', id };
}

function hasThread({ sessionId, kind }: Notification): boolean {
  return sessionId !== null && kind !== 'test';
}

/** The reference of a post, with what Slack stored of it. */
export function refOf(message: JsonObject, made: Thread, thread: Thread | null): string {
  const shown = textsIn([message['blocks'], message['attachments']]);
  return JSON.stringify({ ...made, thread: thread?.ts ?? null, shown });
}
