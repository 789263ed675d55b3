import assert from 'node:assert/strict';
import { test } from 'node:test';
import { routes } from '../../../../src/vendor/client/index.ts';
import { Pagination } from '../../../../src/vendor/client/schema-parts.ts';
import { AddedMessage, Message } from '../../../../src/vendor/client/messages.ts';
import {
  ApiSession,
  SessionListItem,
  SessionSettings,
  TokenUsage,
} from '../../../../src/vendor/client/sessions.ts';
import type { EnumCase } from '../field-cases.ts';
import { counts, flags, lists, passes, testEnum, testFields, texts } from '../field-cases.ts';
import { message, session } from '../samples.ts';

for (const fieldCase of [
  {
    id: '107, A10',
    what: 'a pagination object, whose last cursor may be anything',
    schema: Pagination,
    fields: { hasMore: false, nextCursor: '' },
  },
  {
    id: '109',
    what: 'the list of sessions',
    schema: routes['sessions.list'].response,
    fields: { sessions: [session()], pagination: { hasMore: false } },
    required: ['sessions', 'pagination'],
  },
  {
    id: '112, 113, 115, 116',
    what: 'what is required of a session',
    schema: ApiSession,
    fields: session(),
    required: ['sessionId', 'status', 'messageCount', 'createdAt', 'updatedAt'],
  },
  {
    id: '114, A03',
    what: 'a session in a list, whose status may be absent',
    schema: SessionListItem,
    fields: session(),
    required: ['sessionId', 'messageCount', 'createdAt', 'updatedAt'],
  },
  {
    id: '117',
    what: 'what is optional of a session',
    schema: ApiSession,
    rest: session(),
    fields: { title: 'Fix', completedAt: 1_773_000_000_000, computerId: 'c1' },
  },
  {
    id: '118',
    what: 'the settings of a session, which may be absent',
    schema: ApiSession,
    rest: session(),
    fields: { sessionSettings: { model: 'model-a' } },
  },
  {
    id: '119',
    what: 'plain session settings',
    schema: SessionSettings,
    fields: {
      ...texts('model', 'specModeModel', 'providerLockTimestamp'),
      assistantActiveTimeMs: 5,
    },
  },
  {
    id: '121',
    what: 'usage of child sessions, of any shape',
    schema: SessionSettings,
    fields: { childInclusiveTokenUsageBySessionId: { s2: { anything: ['at', 'all'] }, s3: 5 } },
  },
  {
    id: '122',
    what: 'archiving and tags of a session',
    schema: SessionSettings,
    fields: { archivedAt: '2026-03-01', tags: [{ name: 'a', metadata: { any: 1 } }] },
  },
  {
    id: '123',
    what: 'the tools of a session',
    schema: SessionSettings,
    fields: lists('enabledToolIds', 'disabledToolIds'),
  },
  {
    id: '124',
    what: 'token usage',
    schema: TokenUsage,
    fields: counts(
      'inputTokens',
      'outputTokens',
      'cacheCreationTokens',
      'cacheReadTokens',
      'thinkingTokens',
      'serviceCredits',
    ),
  },
  {
    id: '132, 133',
    what: 'the answer to an added message',
    schema: AddedMessage,
    fields: { messageId: 'm1', status: 'pending' },
    required: ['messageId', 'status'],
  },
  {
    id: '135, 137',
    what: 'what is required of a message',
    schema: Message,
    fields: message(),
    required: ['id', 'role', 'content', 'createdAt', 'updatedAt'],
  },
  {
    id: '136',
    what: 'content blocks, also such without text',
    schema: Message,
    rest: message(),
    fields: {
      content: [
        { text: 'a', id: 'b' },
        { id: 'c', tool: { any: 1 } },
      ],
    },
    required: ['content'],
  },
  {
    id: '138',
    what: 'the parent of a message',
    schema: Message,
    rest: message(),
    fields: texts('parentId'),
  },
  {
    id: '142',
    what: 'what a provider adds to a message',
    schema: Message,
    rest: message(),
    fields: texts(
      'providerOneMessageId',
      'providerOneEncryptedContent',
      'providerOneReasoningId',
      'providerOneReasoningSummary',
    ),
  },
  {
    id: '145',
    what: 'the reasoning of a message',
    schema: Message,
    rest: message(),
    fields: {
      chatCompletionReasoningField: 'reasoning',
      chatCompletionReasoningContent: 'Because',
    },
  },
  {
    id: '146',
    what: 'visibility and error of a message',
    schema: Message,
    rest: message(),
    fields: flags('isUserVisible', 'isError'),
  },
]) {
  testFields(fieldCase);
}

const enums: readonly EnumCase[] = [
  ['113, 126, A07', ApiSession, session(), 'status', ['idle', 'pending', 'running']],
  ['133', AddedMessage, { messageId: 'm' }, 'status', ['idle', 'pending', 'running']],
  ['135', Message, message(), 'role', ['user', 'assistant', 'tool', 'system']],
  [
    '139, 140, A05',
    Message,
    message(),
    'userMessageSource',
    [
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
    ],
  ],
  ['141', Message, message(), 'visibility', ['both', 'llm_only', 'user_only']],
  ['143', Message, message(), 'providerOnePhase', ['commentary', 'final_answer']],
  ['145', Message, message(), 'chatCompletionReasoningField', ['reasoning', 'reasoning_content']],
];

for (const enumCase of enums) testEnum(enumCase);

test('acceptance 143: providerOnePhase may be null', () => {
  assert.ok(passes(Message, message({ providerOnePhase: null })));
});
