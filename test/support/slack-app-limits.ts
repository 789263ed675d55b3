import { z } from 'zod';

/**
 * Slack's limits for what an app posts, counted in characters (https://docs.slack.dev/reference/block-kit/blocks and
 * …/block-elements). A part that is not here is refused: add its row first.
 */
const plain = (max: number) =>
  z.strictObject({
    type: z.literal('plain_text'),
    text: z.string().min(1).max(max).regex(/\S/),
    emoji: z.boolean().optional(),
  });
const marked = z.strictObject({
  type: z.literal('mrkdwn'),
  text: z.string().min(1).max(3_000),
  verbatim: z.boolean().optional(),
});
const button = z.strictObject({
  type: z.literal('button'),
  action_id: z.string().min(1).max(255),
  text: plain(75),
  style: z.enum(['primary', 'danger']).optional(),
  value: z.string().max(2_000).optional(),
});
const block = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('header'), text: plain(150) }),
  z.strictObject({
    type: z.literal('section'),
    text: z.discriminatedUnion('type', [plain(3_000), marked]),
  }),
  z.strictObject({
    type: z.literal('context'),
    elements: z.array(plain(2_000)).min(1).max(10),
  }),
  z.strictObject({ type: z.literal('actions'), elements: z.array(button).min(1).max(25) }),
]);
export const blocks = z
  .array(block)
  .min(1)
  .max(50)
  .refine((all) => {
    const ids = all.flatMap((one) => (one.type === 'actions' ? one.elements : []));
    return new Set(ids.map(({ action_id: id }) => id)).size === ids.length;
  }, 'repeats an action_id');
export const attachments = z
  .array(
    z.union([
      z.strictObject({ color: z.string().regex(/^#[0-9a-f]{6}$/), blocks }),
      z.strictObject({
        color: z.string(),
        text: z.string().max(8_000),
        mrkdwn_in: z.array(z.string()),
      }),
    ]),
  )
  .max(100);
export const metadata = z.strictObject({
  event_type: z.string().min(1).max(255),
  event_payload: z.record(z.string(), z.string()),
});
/** https://docs.slack.dev/reference/views/home-tab-views */
export const home = z.strictObject({
  type: z.literal('home'),
  blocks: z.array(block).min(1).max(100),
});
/** https://docs.slack.dev/interactivity/implementing-slash-commands */
export const commandResponse = z.strictObject({
  response_type: z.literal('ephemeral'),
  text: z.string().min(1).max(40_000),
  blocks,
});
export const view = z.strictObject({
  type: z.literal('modal'),
  callback_id: z.string().max(255),
  private_metadata: z.string().max(3_000),
  title: plain(24),
  submit: plain(24),
  close: plain(24),
  blocks: z
    .array(
      z.strictObject({
        type: z.literal('input'),
        block_id: z.string().max(255),
        label: plain(2_000),
        element: z.strictObject({
          type: z.literal('plain_text_input'),
          action_id: z.string().max(255),
          multiline: z.boolean(),
          max_length: z.int().max(3_000),
        }),
      }),
    )
    .min(1)
    .max(100),
});
