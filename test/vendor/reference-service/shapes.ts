import type { Shape } from './shape.ts';
import {
  anyObject,
  boolean,
  either,
  exact,
  integer,
  list,
  mapOf,
  matches,
  number,
  object,
  oneOf,
  string,
} from './shape.ts';

// Copied by hand from the tables of test/fixtures/interface.md, apart from the service and from the client.

function numbers(...names: readonly string[]): Record<string, Shape> {
  return Object.fromEntries(names.map((name) => [name, number]));
}

function strings(...names: readonly string[]): Record<string, Shape> {
  return Object.fromEntries(names.map((name) => [name, string]));
}

function booleans(...names: readonly string[]): Record<string, Shape> {
  return Object.fromEntries(names.map((name) => [name, boolean]));
}

const day = matches(/^\d{4}-\d{2}-\d{2}$/);
const uuid = matches(/^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/);
const email = matches(/^[^@\s]+@[^@\s]+$/);
const uri = matches(/^\w+:\/\//);
const dateTime = matches(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
const nothing = oneOf(null);
const count = (name: string): Shape => list(exact({ [name]: string, count: number }));
const invocations = (name: string): Shape => list(exact({ [name]: string, invocations: number }));

const meta = { org_id: string, start_date: day, end_date: day };

const byModel = list(
  exact({
    ...strings('model_id', 'model_tier'),
    ...numbers('billable_tokens', 'input_tokens', 'output_tokens'),
  }),
);

function envelope(row: Shape, extra: Readonly<Record<string, Shape>> = {}): Shape {
  return exact({ data: list(row), meta: exact({ ...meta, ...extra }) });
}

export const tokens = envelope(
  exact({
    date: day,
    ...numbers('billable_tokens', 'input_tokens', 'output_tokens'),
    ...numbers('cache_read_tokens', 'cache_write_tokens'),
    by_model: byModel,
    by_user: list(
      exact({ user_id: string, user_email: string, billable_tokens: number, by_model: byModel }),
    ),
  }),
);

export const tokensByModel = envelope(
  exact({
    date: day,
    group_key: string,
    ...numbers('billable_tokens', 'input_tokens', 'output_tokens'),
  }),
);

export const tools = envelope(
  exact({
    date: day,
    tool_calls: number,
    by_tool: invocations('tool'),
    mcp_users_with_mcp: number,
    mcp_by_server: invocations('server'),
    skills_invocations: number,
    skills_by_name: count('name'),
    slash_commands_invocations: number,
    slash_commands_by_name: count('name'),
    hooks_invocations: number,
    hooks_by_event: list(exact({ ...strings('event', 'matcher', 'command'), count: number })),
    ...numbers('web_users', 'autonomy_ratio_avg', 'autonomy_ratio_p50', 'autonomy_ratio_p90'),
    ...numbers('tool_calls_per_session_avg', 'user_turns_per_session_avg'),
    tool_autonomy_level_ratio: exact(numbers('auto_high', 'auto_medium', 'auto_low', 'manual')),
  }),
);

export const toolsByName = envelope(exact({ date: day, group_key: string, tool_calls: number }));

export const activity = envelope(
  exact({
    date: day,
    ...numbers('daily_active_users', 'weekly_active_users', 'monthly_active_users'),
    daily_active_users_by_client: exact(numbers('terminal-ui', 'web', 'non-interactive-cli')),
    ...numbers('sessions', 'messages', 'user_messages'),
  }),
);

export const activityByClient = envelope(
  exact({
    date: day,
    group_key: oneOf('terminal-ui', 'web', 'non-interactive-cli'),
    daily_active_users: number,
  }),
);

export const productivity = envelope(
  exact({
    date: day,
    ...numbers('files_created', 'files_edited', 'git_commits', 'git_prs_created'),
    by_extension: count('extension'),
    by_language: count('language'),
  }),
);

export const analyticsUsers = envelope(
  exact({
    user_id: string,
    user_email: either(string, nothing),
    date: day,
    ...numbers('tool_calls', 'billable_tokens', 'files_created', 'files_edited', 'git_commits'),
    ...numbers('git_prs_created', 'mcp_calls', 'skill_calls', 'slash_commands', 'hooks'),
    ...numbers('sessions', 'messages', 'user_messages', 'assistant_messages', 'autonomy_ratio'),
    primary_model: string,
    primary_model_tier: oneOf('standard', 'thinking'),
    delegation_level: oneOf('auto-high', 'auto-medium', 'auto-low', 'spec', 'manual'),
    languages: list(string),
  }),
  { has_more: boolean, next_cursor: string },
);

export const readiness = exact({
  reports: list(
    object({
      required: {
        reportId: uuid,
        createdAt: number,
        repoUrl: string,
        apps: mapOf(exact({ description: string })),
        report: mapOf(exact({ ...numbers('numerator', 'denominator'), rationale: string })),
      },
      optional: {
        ...strings('commitHash', 'branch', 'agentVersion'),
        ...booleans('hasLocalChanges', 'hasNonRemoteCommits'),
        modelUsed: exact({ id: string, reasoningEffort: oneOf('low', 'medium', 'high', 'off') }),
      },
    }),
  ),
});

const pagination = exact({ hasMore: boolean, nextCursor: string });

const tokenUsage = exact({
  ...numbers('inputTokens', 'outputTokens', 'cacheCreationTokens', 'cacheReadTokens'),
  ...numbers('thinkingTokens', 'serviceCredits'),
});

const status = oneOf('idle', 'pending', 'running');

const sessionFields = {
  required: { sessionId: string, messageCount: integer, createdAt: integer, updatedAt: integer },
  optional: {
    title: string,
    completedAt: integer,
    computerId: string,
    sessionSettings: object({
      optional: {
        ...strings('model', 'specModeModel', 'providerLockTimestamp', 'archivedAt'),
        assistantActiveTimeMs: number,
        tokenUsage,
        inclusiveTokenUsage: tokenUsage,
        childInclusiveTokenUsageBySessionId: anyObject,
        tags: list(exact({ name: string, metadata: anyObject })),
        enabledToolIds: list(string),
        disabledToolIds: list(string),
      },
    }),
  },
};

export const sessionItem = object(sessionFields);
export const session = object({
  required: { ...sessionFields.required, status },
  optional: sessionFields.optional,
});
export const sessions = exact({ sessions: list(sessionItem), pagination });
export const addedMessage = exact({ messageId: string, status });

export const message = object({
  required: {
    id: string,
    role: oneOf('user', 'assistant', 'tool', 'system'),
    content: list(exact(strings('text', 'id'))),
    createdAt: number,
    updatedAt: number,
  },
  optional: {
    parentId: string,
    userMessageSource: string,
    visibility: oneOf('both', 'llm_only', 'user_only'),
    ...strings('providerOneMessageId', 'providerOneEncryptedContent', 'providerOneReasoningId'),
    ...strings('providerOneReasoningSummary', 'providerTwoThoughtSignature'),
    providerOnePhase: oneOf('commentary', 'final_answer', null),
    chatCompletionReasoningField: oneOf('reasoning', 'reasoning_content'),
    chatCompletionReasoningContent: string,
    ...booleans('isUserVisible', 'isError'),
  },
});

export const computer = object({
  required: { id: string, name: matches(/^.{1,63}$/u), providerType: string, createdAt: number },
  optional: {
    hostId: uuid,
    ...strings('hostname', 'remoteUser', 'ownerPrincipalKind', 'ownerId'),
    status: oneOf('provisioning', 'active', 'error'),
    provisioningSteps: list(
      object({
        optional: {
          ...strings('id', 'name', 'status', 'error', 'installSessionId'),
          ...numbers('startedAt', 'completedAt'),
        },
      }),
    ),
    relayClientUrl: uri,
    relayAgentUrl: uri,
  },
});
export const computers = exact({ computers: list(computer) });

export const users = exact({
  users: list(
    object({
      required: { id: string, email, createdAt: string, metadata: anyObject, firstName: string },
      optional: strings('lastName', 'lastSignInAt'),
    }),
  ),
  pagination,
});

export const history = exact({
  changes: list(
    exact({
      revision: number,
      settings: anyObject,
      user: exact(strings('id', 'email', 'name')),
      updatedAt: dateTime,
    }),
  ),
  pagination,
});

export const limits = exact({
  updated: list(exact({ email, limit: number })),
  errors: list(exact(strings('email', 'error'))),
});
