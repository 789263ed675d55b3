import { z } from 'zod';

/**
 * Slack's limits for the parts our messages are made of, counted in characters after escaping
 * (https://docs.slack.dev/reference/block-kit/blocks). A part that is not here is refused: add its row first.
 */
const plainText = (max: number) =>
  z.strictObject({
    type: z.literal('plain_text'),
    text: z.string().min(1).max(max).regex(/\S/),
    emoji: z.literal(false),
  });

const mrkdwn = (max: number) =>
  z.strictObject({
    type: z.literal('mrkdwn'),
    text: z.string().min(1).max(max),
    verbatim: z.literal(true),
  });

const block = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('header'), text: plainText(150) }),
  z.strictObject({
    type: z.literal('section'),
    text: z.discriminatedUnion('type', [plainText(3_000), mrkdwn(3_000)]),
  }),
  z.strictObject({
    type: z.literal('context'),
    elements: z.array(plainText(2_000)).min(1).max(10),
  }),
]);

const isShort = (blocks: unknown): boolean => JSON.stringify(blocks).length <= 12_000;

/** A message an incoming webhook takes, and that neither links nor unfurls anything by itself. */
export const slackMessage = z.strictObject({
  text: z.string().min(1).max(4_000).regex(/\S/),
  blocks: z
    .array(block)
    .min(1)
    .max(50)
    // Slack answers msg_blocks_too_long somewhere above.
    .refine(isShort, 'is too long as a whole'),
  attachments: z
    .array(
      z.union([
        z.strictObject({
          color: z.string().regex(/^#[0-9a-f]{6}$/),
          blocks: z.array(block).min(1).max(50).refine(isShort, 'is too long as a whole'),
        }),
        // An older part, whose text Slack takes for plain unless it is listed.
        z.strictObject({
          color: z.string().regex(/^#[0-9a-f]{6}$/),
          text: z.string().min(1).max(8_000),
          mrkdwn_in: z.tuple([]),
        }),
      ]),
    )
    .min(1)
    .max(2)
    // Other servers get none.
    .default([]),
  link_names: z.literal(false),
  unfurl_links: z.literal(false),
  unfurl_media: z.literal(false),
});

export type SlackMessage = z.output<typeof slackMessage>;

/** Every text of a message with its type; the fallback text counts as mrkdwn, as Slack reads it. */
export function textsOf({
  text,
  blocks,
  attachments,
}: SlackMessage): readonly { type: string; text: string }[] {
  const all = [
    ...blocks,
    ...attachments.flatMap((attachment) => ('blocks' in attachment ? attachment.blocks : [])),
  ];
  const plain = attachments.flatMap((attachment) => ('text' in attachment ? attachment.text : []));
  return [
    { type: 'mrkdwn', text },
    ...plain.map((folded) => ({ type: 'mrkdwn', text: folded })),
    ...all.flatMap((part) => (part.type === 'context' ? part.elements : [part.text])),
  ];
}

/** What Slack would turn into a mention or a link: everything in angle brackets, and every stray bracket. */
export function activeMarkup(message: SlackMessage): readonly string[] {
  return textsOf(message).flatMap(({ text }) => text.match(/<[^>]*>?|>/g) ?? []);
}

/** A text as Slack shows it. */
export function unescapeSlack(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
