import { z } from 'zod';

import { isJsonObject, type JsonObject } from '../../platform/json.ts';
import { type Column, defineRoutes, numberText, valueIn, type View } from './define-routes.ts';
import {
  anyObject,
  limitParameter,
  number,
  openEnum,
  Pagination,
  SessionId,
  text,
  textParameter,
  texts,
  UnixMs,
} from './schema-parts.ts';

/**
 * The phase of a session, of which the service documents three status values, and only for single sessions.
 *
 * - `running`, `pending`: working, or waiting to work
 * - `done`: idle or completed
 * - `failed`: failed by its status
 * - `unknown`: missing or unknown status
 */
export const sessionPhases = ['running', 'pending', 'done', 'failed', 'unknown'] as const;
export type SessionPhase = (typeof sessionPhases)[number];

export function sessionPhase({ status, completedAt }: ApiSession | SessionListItem): SessionPhase {
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
export const SessionListItem = z.looseObject({ ...sessionFields, status: SessionStatus.nullish() });
export type SessionListItem = z.infer<typeof SessionListItem>;

export const ApiSession = z.looseObject({ ...sessionFields, status: SessionStatus });
export type ApiSession = z.infer<typeof ApiSession>;

export interface SessionCredits {
  readonly credits: number;
  /** Whether child sessions are included is not documented, so the two are shown separately and never added. */
  readonly source: 'inclusiveTokenUsage' | 'tokenUsage';
}

/** Service credits of a session; null if missing. */
export function sessionCredits(options: ApiSession | SessionListItem): SessionCredits | null {
  const { sessionSettings } = options;
  const inclusive = sessionSettings?.inclusiveTokenUsage?.serviceCredits ?? null;
  if (inclusive !== null) return { credits: inclusive, source: 'inclusiveTokenUsage' };
  const ownCredits = sessionSettings?.tokenUsage?.serviceCredits ?? null;
  return ownCredits === null ? null : { credits: ownCredits, source: 'tokenUsage' };
}

/** Usage of child sessions by id: parsed as token usage if possible, else verbatim. */
export function childUsage({
  sessionSettings,
}: ApiSession | SessionListItem): Map<string, { usage: TokenUsage | null; raw: unknown }> {
  const children = sessionSettings?.childInclusiveTokenUsageBySessionId ?? {};
  return new Map(
    Object.entries(children).map(([id, raw]) => [
      id,
      { usage: TokenUsage.safeParse(raw).data ?? null, raw },
    ]),
  );
}

const ids = z.array(z.string()).optional();

/** Settings a PATCH may hold; the token usages are read-only. */
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

/** Tags in the form to send back: name and metadata, which is empty if missing. */
export function writableTags(tags: readonly SessionTag[]): NonNullable<WritableSettings['tags']> {
  return tags.map(({ name, metadata }) => ({ name: name ?? '', metadata: metadata ?? {} }));
}

const sessionColumn: Column = { name: 'session', from: 'sessionId' };
const title: Column = { name: 'title', from: 'title' };
const status: Column = { name: 'status', from: 'status' };
const messages: Column = { name: 'messages', from: 'messageCount', kind: 'number' };
const created: Column = { name: 'created', from: 'createdAt', kind: 'time' };
const updated: Column = { name: 'updated', from: 'updatedAt', kind: 'time' };
const completed: Column = { name: 'completed', from: 'completedAt', kind: 'time' };
const computer: Column = { name: 'computer', from: 'computerId' };
const model: Column = { name: 'model', from: 'sessionSettings.model' };
const credits: Column = {
  name: 'service credits',
  // How the two numbers relate is not documented.
  from: (item) =>
    valueIn(item, { from: 'sessionSettings.inclusiveTokenUsage.serviceCredits' }) ??
    valueIn(item, { from: 'sessionSettings.tokenUsage.serviceCredits' }),
  kind: 'number',
};
const tags: Column = {
  name: 'tags',
  from: (item) => {
    const found = valueIn(item, { from: 'sessionSettings.tags' });
    return Array.isArray(found) ? found.filter(isJsonObject).map(({ name }) => name) : undefined;
  },
};

const card: View = {
  columns: [
    sessionColumn,
    title,
    status,
    messages,
    created,
    updated,
    completed,
    { name: 'archived', from: 'sessionSettings.archivedAt', kind: 'time' },
    computer,
    model,
    { name: 'spec mode model', from: 'sessionSettings.specModeModel' },
    credits,
    { name: 'child sessions', from: childSessions, kind: 'lines' },
    tags,
    { name: 'enabled tools', from: 'sessionSettings.enabledToolIds' },
    { name: 'disabled tools', from: 'sessionSettings.disabledToolIds' },
  ],
};

/** Each with its credits if its usage has the expected shape, which is not documented. */
function childSessions(item: JsonObject): unknown {
  const session = ApiSession.safeParse(item).data;
  if (session === undefined) return undefined;
  return [...childUsage(session)].map(([id, { usage }]) =>
    typeof usage?.serviceCredits === 'number' ? `${id}: ${numberText(usage.serviceCredits)}` : id,
  );
}

export const sessionId = textParameter.describe('Id of the session');
export const askedComputer = textParameter.optional().describe('Computer to query directly');

/** The service can neither create nor delete sessions. */
export const sessionRoutes = defineRoutes(
  { family: 'v0' },
  {
    'sessions.list': {
      summary: 'Sessions',
      path: '/api/v0/sessions',
      parameters: z.strictObject({
        limit: limitParameter.optional().describe('Page size, 1 to 100; the service takes 20'),
        cursor: z.string().optional().describe('Where to continue: nextCursor of the last page'),
        computerId: askedComputer,
      }),
      response: z.looseObject({ sessions: z.array(SessionListItem), pagination: Pagination }),
      lists: ['sessions'],
      pages: 'cursor',
      view: {
        columns: [
          sessionColumn,
          status,
          updated,
          messages,
          model,
          title,
          { ...created, csvOnly: true },
          { ...completed, csvOnly: true },
          { ...computer, csvOnly: true },
          { ...credits, csvOnly: true },
          { ...tags, csvOnly: true },
        ],
        empty: 'No sessions found',
      },
      command: { words: 'sessions list', description: 'list sessions, most recent first' },
    },
    'sessions.get': {
      summary: 'One session',
      path: '/api/v0/sessions/{sessionId}',
      parameters: z.strictObject({ sessionId, computerId: askedComputer }),
      response: ApiSession,
      view: card,
      command: { words: 'sessions get <session>', description: 'show a session, by id' },
    },
    'sessions.update': {
      summary: 'Change settings of a session',
      method: 'PATCH',
      path: '/api/v0/sessions/{sessionId}',
      parameters: z.strictObject({
        sessionId,
        sessionSettings: WritableSettings.describe(
          'The settings to change; others keep their values',
        ),
      }),
      response: ApiSession,
      retry: 'idempotent-write',
      view: card,
    },
  },
);
