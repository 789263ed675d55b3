import type { z } from 'zod';

import type { metadata } from './slack-app-limits.ts';

type Parameters_ = Readonly<Record<string, unknown>>;

/** A message in a channel, as the fake stores it. */
export interface SlackPost {
  readonly channel: string;
  readonly ts: string;
  readonly thread: string | null;
  text: string;
  blocks: readonly Parameters_[];
  attachments: readonly Parameters_[];
  readonly metadata: z.output<typeof metadata> | null;
  readonly isDeleted?: boolean;
}

/** A page of these messages (https://docs.slack.dev/apis/web-api/pagination). */
export function pageOf(
  all: readonly SlackPost[],
  form: Readonly<Record<string, string>>,
): Parameters_ {
  const limit = Math.min(999, Number(form['limit'] ?? 100));
  const start = Number(form['cursor'] ?? 0);
  const found = all.filter(({ ts }) => Number(ts) > Number(form['oldest'] ?? 0));
  const end = start + limit;
  return {
    ok: true,
    messages: found.slice(start, end).map(stored),
    has_more: end < found.length,
    response_metadata: { next_cursor: end < found.length ? String(end) : '' },
  };
}

/** Slack adds ids to blocks, and its keys have another order. */
export function stored({ ts, thread, metadata: marks, ...post }: SlackPost): Parameters_ {
  const withIds = (all: readonly Parameters_[]) =>
    all.map((one, index) => ({
      block_id: `b${index}`,
      ...Object.fromEntries(Object.entries(one).toReversed()),
    }));
  return {
    type: 'message',
    user: 'U0BOT',
    bot_id: 'B0',
    ts,
    ...(thread !== null && { thread_ts: thread }),
    text: post.text,
    blocks: withIds(post.blocks),
    attachments: post.attachments.map((one, index) => ({
      id: index + 1,
      fallback: '[no preview]',
      ...one,
    })),
    ...(marks !== null && { metadata: marks }),
  };
}
