import { z } from 'zod';

import { limitParameter, textParameter } from '../schema-parts.ts';
import { FileAttachment, ImageAttachment } from './attachments.ts';
import type { SessionTag } from './session.ts';

const sessionId = textParameter.describe('Id of the session');
const computerId = textParameter.optional();
const ids = z.array(z.string()).optional();

export const ListSessionsParameters = z.strictObject({
  limit: limitParameter.optional().describe('Page size, 1 to 100; the service takes 20'),
  cursor: z.string().optional().describe('Where to go on: nextCursor of the last page'),
  computerId: computerId.describe('Computer to ask directly'),
});

export const GetSessionParameters = z.strictObject({
  sessionId,
  computerId: computerId.describe('Computer to ask directly'),
});

/**
 * Settings a PATCH may hold. `tokenUsage` and `inclusiveTokenUsage` are read-only, and presumably
 * `childInclusiveTokenUsageBySessionId` too.
 */
export const WritableSettings = z
  .strictObject({
    model: z.string().optional(),
    specModeModel: z.string().optional(),
    providerLockTimestamp: z.string().optional(),
    assistantActiveTimeMs: z.number().optional(),
    archivedAt: z.string().optional(),
    tags: z
      .array(
        z.strictObject({
          name: z.string(),
          metadata: z.record(z.string(), z.unknown()).optional(),
        }),
      )
      .optional(),
    enabledToolIds: ids,
    disabledToolIds: ids,
  })
  .refine(
    (settings) => Object.values(settings).some((value) => value !== undefined),
    'expected at least one setting',
  );
export type WritableSettings = z.infer<typeof WritableSettings>;

export const UpdateSessionParameters = z.strictObject({
  sessionId,
  sessionSettings: WritableSettings.describe('The settings to change; others stay'),
});

export const AddMessageParameters = z.strictObject({
  sessionId,
  text: z
    .string()
    .refine((text) => text.trim() !== '', 'expected a non-empty string')
    .describe('What the user says'),
  images: z.array(ImageAttachment).optional().describe('Images, base64'),
  files: z.array(FileAttachment).optional().describe('PDF or text files'),
  computerId: computerId.describe('Computer to send to; the one of the session when not given'),
});

export const GetMessageParameters = z.strictObject({
  sessionId,
  messageId: textParameter.describe('Id of the message'),
  computerId: computerId.describe('Computer to ask directly'),
});

/** Tags in the form to send back: name and metadata, which is empty if missing. */
export function writableTags(tags: readonly SessionTag[]): NonNullable<WritableSettings['tags']> {
  return tags.map(({ name, metadata }) => ({
    name: name ?? '',
    metadata: metadata ?? {},
  }));
}
