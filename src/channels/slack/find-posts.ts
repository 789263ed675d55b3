import { z } from 'zod';

import type { Outcome } from '../../core/outcome.ts';
import type { JsonObject } from '../../platform/json.ts';
import type { CallSlack } from './web-api.ts';

/** What a post of ours carries, by which it is found again (https://docs.slack.dev/messaging/message-metadata). */
export interface PostMark {
  readonly type: 'hookbell_session' | 'hookbell_delivery';
  /** Name of the session, or id of the delivery. */
  readonly id: string;
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

const found = z.object({
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

/**
 * Looks for a post of ours that an earlier attempt may have made.
 *
 * @param thread where to look; null: in the channel itself
 * @returns null if there is none; an outcome if Slack does not say
 */
export async function findPost(
  call: CallSlack,
  { channel, thread }: { readonly channel: string; readonly thread: string | null },
  mark: PostMark,
  { now, signal }: { readonly now: number; readonly signal: AbortSignal },
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
    const part = found.safeParse(data).data;
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
