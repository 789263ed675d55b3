import { z } from 'zod';

import {
  anyObject,
  number,
  openEnum,
  Pagination,
  SessionId,
  text,
  texts,
  UnixMs,
} from '../schema-parts.ts';

/**
 * The phase of a session, which does not depend only on its status: three status values are documented, and only for single
 * sessions.
 *
 * - `running`, `pending`: working, or waiting to work
 * - `done`: idle or completed
 * - `failed`: failed by its status
 * - `unknown`: missing or unknown status
 */
export const sessionPhases = ['running', 'pending', 'done', 'failed', 'unknown'] as const;
export type SessionPhase = (typeof sessionPhases)[number];

export function sessionPhase({ status, completedAt }: Session | SessionListItem): SessionPhase {
  if (status === 'running') return 'running';
  if (status === 'pending') return 'pending';
  const says = status ?? '';
  if (/fail|error|abort/i.test(says)) return 'failed';
  const isOver = says === 'idle' || /complete|finish|done/i.test(says);
  return isOver || (completedAt ?? null) !== null ? 'done' : 'unknown';
}

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
  /** By session id; the shape of the values is not documented, see `childUsage`. */
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

/** A session in a list, where `status` is not documented. */
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

export interface SessionCredits {
  readonly credits: number;
  /** Whether child sessions are included is not documented, so the two are shown separately and never added. */
  readonly source: 'inclusiveTokenUsage' | 'tokenUsage';
}

/** Service credits of a session; null if missing. */
export function sessionCredits({
  sessionSettings,
}: Session | SessionListItem): SessionCredits | null {
  const inclusive = sessionSettings?.inclusiveTokenUsage?.serviceCredits ?? null;
  if (inclusive !== null) return { credits: inclusive, source: 'inclusiveTokenUsage' };
  const own = sessionSettings?.tokenUsage?.serviceCredits ?? null;
  return own === null ? null : { credits: own, source: 'tokenUsage' };
}

/** Usage of child sessions by id: parsed as token usage if possible, else verbatim. */
export function childUsage({
  sessionSettings,
}: Session | SessionListItem): Map<string, { usage: TokenUsage | null; raw: unknown }> {
  const children = sessionSettings?.childInclusiveTokenUsageBySessionId ?? {};
  return new Map(
    Object.entries(children).map(([id, raw]) => {
      const parsed = TokenUsage.safeParse(raw);
      return [id, { usage: parsed.success ? parsed.data : null, raw }];
    }),
  );
}
