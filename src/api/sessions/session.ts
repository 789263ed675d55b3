import { z } from 'zod';
import {
  Pagination,
  SessionId,
  UnixMs,
  anyObject,
  number,
  openEnum,
  text,
  texts,
} from '../schema-parts.ts';

export const SessionStatus = openEnum(['idle', 'pending', 'running']);
export type SessionStatus = z.infer<typeof SessionStatus>;

export const TokenUsage = z.looseObject({
  inputTokens: number,
  outputTokens: number,
  cacheCreationTokens: number,
  cacheReadTokens: number,
  thinkingTokens: number,
  serviceCredits: number,
});
export type TokenUsage = z.infer<typeof TokenUsage>;

export const SessionTag = z.looseObject({ name: text, metadata: anyObject.nullish() });
export type SessionTag = z.infer<typeof SessionTag>;

export const SessionSettings = z.looseObject({
  model: text,
  specModeModel: text,
  providerLockTimestamp: text,
  assistantActiveTimeMs: number,
  /** Read-only, like the next. */
  tokenUsage: TokenUsage.nullish(),
  inclusiveTokenUsage: TokenUsage.nullish(),
  /** By session id; the values have no shown shape, see `childUsage`. */
  childInclusiveTokenUsageBySessionId: anyObject.nullish(),
  archivedAt: text,
  tags: z.array(SessionTag).nullish(),
  enabledToolIds: texts,
  disabledToolIds: texts,
});
export type SessionSettings = z.infer<typeof SessionSettings>;

const sessionFields = {
  sessionId: SessionId,
  messageCount: z.int(),
  createdAt: UnixMs.int(),
  updatedAt: UnixMs.int(),
  title: text,
  completedAt: UnixMs.int().nullish(),
  /** The connected computer. */
  computerId: text,
  sessionSettings: SessionSettings.nullish(),
};

/** A session in a list, where the interface does not show `status`. */
export const SessionListItem = z.looseObject({
  ...sessionFields,
  status: SessionStatus.nullish(),
});
export type SessionListItem = z.infer<typeof SessionListItem>;

export const Session = z.looseObject({ ...sessionFields, status: SessionStatus });
export type Session = z.infer<typeof Session>;

export const SessionList = z.looseObject({
  sessions: z.array(SessionListItem),
  pagination: Pagination,
});
