import { z } from 'zod';
import { EpochUnknown, flag, incompleteEnum, openEnum, text } from '../schema-parts.ts';
import { SessionStatus } from './session.ts';

/** Other block fields are not documented; they are kept. */
export const ContentBlock = z.looseObject({ text, id: text });
export type ContentBlock = z.infer<typeof ContentBlock>;

export const Message = z.looseObject({
  id: z.string(),
  role: openEnum(['user', 'assistant', 'tool', 'system']),
  content: z.array(ContentBlock),
  createdAt: EpochUnknown,
  updatedAt: EpochUnknown,
  parentId: text,
  // The interface omits two further literals.
  userMessageSource: incompleteEnum([
    'web',
    'desktop',
    'cli_tui',
    'cli_exec',
    'cli_acp',
    'sessions_api',
    'api',
    'automation',
    'readiness-remediation',
    'readiness-evaluation',
    'wiki-generation',
    'wiki-ci-setup',
  ]).nullish(),
  visibility: openEnum(['both', 'llm_only', 'user_only']).nullish(),
  providerOneMessageId: text,
  providerOnePhase: z.union([openEnum(['commentary', 'final_answer']), z.null()]).optional(),
  providerOneEncryptedContent: text,
  providerOneReasoningId: text,
  providerOneReasoningSummary: text,
  /** @deprecated By the service: accepted, and used nowhere. */
  providerTwoThoughtSignature: text.meta({ deprecated: true }),
  chatCompletionReasoningField: openEnum(['reasoning', 'reasoning_content']).nullish(),
  chatCompletionReasoningContent: text,
  isUserVisible: flag,
  isError: flag,
});
export type Message = z.infer<typeof Message>;

/** The response to an added message. */
export const AddedMessage = z.looseObject({
  /** Of the created user message. */
  messageId: z.string(),
  /** Of the agent, after the submission. */
  status: SessionStatus,
});
export type AddedMessage = z.infer<typeof AddedMessage>;
