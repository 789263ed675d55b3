import { z } from 'zod';

import type { Notification } from '../../core/notification.ts';
import { delivered, type Outcome, retry } from '../../core/outcome.ts';
import type { JsonObject } from '../../platform/json.ts';
import { RecentMap } from '../../platform/recent-map.ts';
import { rootMessage, type ShownState, stateOf, textsIn } from './app-message.ts';
import { findPost, metadataOf, type PostMark } from './find-posts.ts';
import type { PostChanges } from './post-changes.ts';
import { sessionName, type Thread, type Threads } from './memory.ts';
import type { CallSlack } from './web-api.ts';

/** What was sent: the post, and what it showed. */
export const postReference = z.object({
  channel: z.string(),
  ts: z.string(),
  thread: z.string().nullable(),
  shown: z.string(),
});
export const posted = z.object({
  channel: z.string(),
  ts: z.string(),
  message: z.looseObject({}),
});

/** Maximum number of sessions whose latest notification is remembered. */
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
export interface SessionPosts {
  /** The thread of the notification's session; begins one with its first message if there is none. */
  thread(
    channel: string,
    notification: Notification,
    context: { readonly isRepeat: boolean; readonly signal: AbortSignal },
  ): Promise<FoundThread>;
  /** The next notification of the session begins another thread. */
  forget(notification: Notification): void;
  /** Changes the first message of the session's thread, unless it shows the state of a later notification. */
  showState(notification: Notification, state: ShownState): void;
  /** `delivered` with the reference of the notification's post, or without one if there is none. */
  find(channel: string, notification: Notification, signal: AbortSignal): Promise<Outcome>;
}

export function createSessionPosts({
  call,
  threads,
  changes,
  now,
}: {
  readonly call: CallSlack;
  readonly threads: Threads;
  readonly changes: PostChanges;
  readonly now: () => number;
}): SessionPosts {
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
    { isRepeat, signal }: { readonly isRepeat: boolean; readonly signal: AbortSignal },
  ): Promise<FoundThread> {
    const session = sessionName(notification);
    const known = threads.of(session);
    if (known?.channel === channel) return { thread: known };
    if (!isRepeat) return { thread: null };
    const when = { now: now(), signal };
    const earlier = await findPost(call, { channel, thread: null }, sessionMark(session), when);
    if (earlier === null) return { thread: null };
    return 'outcome' in earlier
      ? earlier
      : { thread: keep(session, { channel, ts: earlier.post.ts }) };
  }

  function keep(session: string, thread: Thread): Thread {
    threads.set(session, thread);
    return thread;
  }

  return {
    async thread(channel, notification, context) {
      if (!hasThread(notification)) return { thread: null };
      const found = await existing(channel, notification, context);
      if ('outcome' in found || found.thread !== null) return found;
      const session = sessionName(notification);
      const { outcome, data } = await call(
        'chat.postMessage',
        {
          channel,
          ...rootMessage(notification, stateOf(notification)),
          metadata: metadataOf(sessionMark(session)),
        },
        context.signal,
      );
      if (outcome.type !== 'delivered') return { outcome };
      const { data: post } = posted.safeParse(data);
      return post === undefined
        ? { outcome: retry('Cannot deliver to Slack: it returned no message') }
        : { thread: keep(session, { channel, ts: post.ts }), isNew: true };
    },

    forget: (notification) => threads.set(sessionName(notification), null),

    showState(notification, state) {
      const thread = threads.of(sessionName(notification));
      if (thread !== null && isLatest(notification))
        changes.add({ ...thread, ...rootMessage(notification, state) });
    },

    async find(channel, notification, signal) {
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

function sessionMark(session: string): PostMark {
  return { type: 'hookbell_session', id: session };
}

function hasThread({ sessionId, kind }: Notification): boolean {
  return sessionId !== null && kind !== 'test';
}

/** The reference of a post, with what Slack stored of it. */
export function refOf(message: JsonObject, made: Thread, thread: Thread | null): string {
  const shown = textsIn([message['blocks'], message['attachments']]);
  return JSON.stringify({ ...made, thread: thread?.ts ?? null, shown });
}
