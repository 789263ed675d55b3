import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { z } from 'zod';
import {
  ActivityRow,
  AnalyticsMeta,
  GroupedActivityRow,
  GroupedTokenRow,
  GroupedToolRow,
  ModelTokens,
  ProductivityRow,
  TokenRow,
  ToolRow,
  UserRow,
} from '../../src/api/analytics/rows.ts';
import { Computer, ProvisioningStep } from '../../src/api/computers/computer.ts';
import {
  ControlChange,
  ControlHistory,
  ControlSettings,
  CustomModel,
} from '../../src/api/organization/controls.ts';
import { LimitsAnswer } from '../../src/api/organization/limits.ts';
import { OrganizationUser, UserList } from '../../src/api/organization/user.ts';
import { Criterion, Report, ReportList } from '../../src/api/readiness/report.ts';
import { Pagination } from '../../src/api/schema-parts.ts';
import { Secret } from '../../src/api/secret.ts';
import { AddedMessage, Message } from '../../src/api/sessions/message.ts';
import {
  Session,
  SessionList,
  SessionListItem,
  SessionSettings,
  TokenUsage,
} from '../../src/api/sessions/session.ts';
import { computer, message, report, session } from './samples.ts';

/** What a statement says about a shape: the fields by example, and which of them must be there. */
interface FieldCase {
  readonly id: string;
  readonly what: string;
  readonly schema: z.ZodType;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  /** What else the shape needs to be whole. */
  readonly rest?: Readonly<Record<string, unknown>>;
}

const date = '2026-03-01';
const counts = (...names: string[]): Record<string, number> =>
  Object.fromEntries(names.map((name, index) => [name, index + 0.5]));
const texts = (...names: string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, `some ${name}`]));
const flags = (...names: string[]): Record<string, boolean> =>
  Object.fromEntries(names.map((name, index) => [name, index % 2 === 0]));
const lists = (...names: string[]): Record<string, string[]> =>
  Object.fromEntries(names.map((name) => [name, ['a', 'b']]));
const secret = new Secret('x');

const cases: readonly FieldCase[] = [
  {
    id: '035',
    what: 'the meta of an analytics answer',
    schema: AnalyticsMeta,
    fields: texts('org_id', 'start_date', 'end_date'),
  },
  {
    id: '036',
    what: 'the cursor of an analytics answer',
    schema: AnalyticsMeta,
    fields: { has_more: true, next_cursor: 'u1' },
  },
  {
    id: '046',
    what: 'a token row',
    schema: TokenRow,
    fields: {
      date,
      ...counts(
        'billable_tokens',
        'input_tokens',
        'output_tokens',
        'cache_read_tokens',
        'cache_write_tokens',
      ),
    },
    required: ['date'],
  },
  {
    id: '047',
    what: 'an item of by_model',
    schema: ModelTokens,
    fields: {
      ...texts('model_id', 'model_tier'),
      ...counts('billable_tokens', 'input_tokens', 'output_tokens'),
    },
  },
  {
    id: '049',
    what: 'a grouped token row',
    schema: GroupedTokenRow,
    fields: {
      date,
      group_key: 'model-a',
      ...counts('billable_tokens', 'input_tokens', 'output_tokens'),
    },
    required: ['date', 'group_key'],
  },
  {
    id: '051',
    what: 'the tools of a tool row',
    schema: ToolRow,
    fields: { date, tool_calls: 3, by_tool: [{ tool: 'Read', invocations: 3 }] },
    required: ['date'],
  },
  {
    id: '052',
    what: 'the MCP servers of a tool row',
    schema: ToolRow,
    rest: { date },
    fields: { mcp_users_with_mcp: 2, mcp_by_server: [{ server: 'Jira', invocations: 3 }] },
  },
  {
    id: '053',
    what: 'the skills of a tool row',
    schema: ToolRow,
    rest: { date },
    fields: { skills_invocations: 2, skills_by_name: [{ name: 'review', count: 2 }] },
  },
  {
    id: '054',
    what: 'the slash commands of a tool row',
    schema: ToolRow,
    rest: { date },
    fields: {
      slash_commands_invocations: 2,
      slash_commands_by_name: [{ name: 'help', count: 2 }],
    },
  },
  {
    id: '055',
    what: 'the hooks of a tool row',
    schema: ToolRow,
    rest: { date },
    fields: {
      hooks_invocations: 2,
      hooks_by_event: [{ event: 'Stop', matcher: '', command: '/bin/hook', count: 2 }],
    },
  },
  {
    id: '056',
    what: 'the web users of a tool row',
    schema: ToolRow,
    rest: { date },
    fields: { web_users: 2 },
  },
  {
    id: '057',
    what: 'the autonomy ratios of a tool row',
    schema: ToolRow,
    rest: { date },
    fields: counts('autonomy_ratio_avg', 'autonomy_ratio_p50', 'autonomy_ratio_p90'),
  },
  {
    id: '058',
    what: 'the averages of a tool row',
    schema: ToolRow,
    rest: { date },
    fields: counts('tool_calls_per_session_avg', 'user_turns_per_session_avg'),
  },
  {
    id: '059, A17',
    what: 'the autonomy levels of a tool row',
    schema: ToolRow,
    rest: { date },
    fields: {
      tool_autonomy_level_ratio: { auto_high: 0.5, auto_medium: 0.2, manual: 0.1, auto_new: 0.1 },
    },
  },
  {
    id: '060',
    what: 'a grouped tool row',
    schema: GroupedToolRow,
    fields: { date, group_key: 'Read', tool_calls: 3 },
    required: ['date', 'group_key'],
  },
  {
    id: '063',
    what: 'the active users of an activity row',
    schema: ActivityRow,
    fields: {
      date,
      ...counts('daily_active_users', 'weekly_active_users', 'monthly_active_users'),
    },
    required: ['date'],
  },
  {
    id: '064, A18',
    what: 'the clients of an activity row, unknown ones too',
    schema: ActivityRow,
    rest: { date },
    fields: { daily_active_users_by_client: { web: 2, toaster: 1 } },
  },
  {
    id: '065',
    what: 'the counts of an activity row',
    schema: ActivityRow,
    rest: { date },
    fields: counts('sessions', 'messages', 'user_messages'),
  },
  {
    id: '068',
    what: 'a grouped activity row',
    schema: GroupedActivityRow,
    fields: { date, group_key: 'web', daily_active_users: 3 },
    required: ['date', 'group_key'],
  },
  {
    id: '070',
    what: 'the files of a productivity row',
    schema: ProductivityRow,
    fields: { date, ...counts('files_created', 'files_edited') },
    required: ['date'],
  },
  {
    id: '071',
    what: 'the breakdowns of a productivity row',
    schema: ProductivityRow,
    rest: { date },
    fields: {
      by_extension: [{ extension: '.ts', count: 2 }],
      by_language: [{ language: 'TypeScript', count: 2 }],
    },
  },
  {
    id: '072',
    what: 'the commits of a productivity row',
    schema: ProductivityRow,
    rest: { date },
    fields: counts('git_commits', 'git_prs_created'),
  },
  {
    id: '073, A16',
    what: 'the user of a user row',
    schema: UserRow,
    fields: { user_id: 'u1', user_email: 'a@x.test', date },
    required: ['user_id', 'date'],
  },
  {
    id: '074',
    what: 'the first numbers of a user row',
    schema: UserRow,
    rest: { user_id: 'u1', date },
    fields: counts(
      'tool_calls',
      'billable_tokens',
      'files_created',
      'files_edited',
      'git_commits',
      'git_prs_created',
    ),
  },
  {
    id: '075',
    what: 'the other numbers of a user row',
    schema: UserRow,
    rest: { user_id: 'u1', date },
    fields: counts(
      'mcp_calls',
      'skill_calls',
      'slash_commands',
      'hooks',
      'sessions',
      'messages',
      'user_messages',
      'assistant_messages',
    ),
  },
  {
    id: '076',
    what: 'the model of a user row',
    schema: UserRow,
    rest: { user_id: 'u1', date },
    fields: { primary_model: 'model-a', primary_model_tier: 'thinking' },
  },
  {
    id: '077',
    what: 'the autonomy of a user row',
    schema: UserRow,
    rest: { user_id: 'u1', date },
    fields: { autonomy_ratio: 2.5 },
  },
  {
    id: '079',
    what: 'the languages of a user row',
    schema: UserRow,
    rest: { user_id: 'u1', date },
    fields: lists('languages'),
  },
  {
    id: '093',
    what: 'the list of reports, without pagination',
    schema: ReportList,
    fields: { reports: [report()] },
    required: ['reports'],
  },
  {
    id: '096',
    what: 'the id of a report',
    schema: Report,
    fields: { reportId: '0b6ad9f2-6f46-4c47-9a50-1d6e0c4a2c11' },
    required: ['reportId'],
  },
  {
    id: '097',
    what: 'the time of a report',
    schema: Report,
    rest: { reportId: 'r1' },
    fields: { createdAt: 1_773_000_000_000 },
  },
  {
    id: '098',
    what: 'the repository of a report',
    schema: Report,
    rest: { reportId: 'r1' },
    fields: texts('repoUrl'),
  },
  {
    id: '099',
    what: 'the applications of a report',
    schema: Report,
    rest: { reportId: 'r1' },
    fields: { apps: { 'apps/web': { description: 'Shop' } } },
  },
  {
    id: '100, 102',
    what: 'the criteria of a report, under any id',
    schema: Report,
    rest: { reportId: 'r1' },
    fields: { report: { any_new_criterion: { numerator: 1, denominator: 2, rationale: 'Half' } } },
  },
  {
    id: '100',
    what: 'a criterion',
    schema: Criterion,
    fields: { numerator: 1, denominator: 2, rationale: 'Half' },
  },
  {
    id: '103',
    what: 'the commit and the state of the working tree of a report',
    schema: Report,
    rest: { reportId: 'r1' },
    fields: {
      ...texts('commitHash', 'branch'),
      ...flags('hasLocalChanges', 'hasNonRemoteCommits'),
    },
  },
  {
    id: '104',
    what: 'the model of a report',
    schema: Report,
    rest: { reportId: 'r1' },
    fields: { modelUsed: { id: 'model-a', reasoningEffort: 'high' } },
  },
  {
    id: '105',
    what: 'the agent version of a report',
    schema: Report,
    rest: { reportId: 'r1' },
    fields: texts('agentVersion'),
  },
  {
    id: '107, A10',
    what: 'a pagination object, whose last cursor may be anything',
    schema: Pagination,
    fields: { hasMore: false, nextCursor: '' },
  },
  {
    id: '109',
    what: 'the list of sessions',
    schema: SessionList,
    fields: { sessions: [session()], pagination: { hasMore: false } },
    required: ['sessions', 'pagination'],
  },
  {
    id: '112, 113, 115, 116',
    what: 'what is required of a session',
    schema: Session,
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
    schema: Session,
    rest: session(),
    fields: { title: 'Fix', completedAt: 1_773_000_000_000, computerId: 'c1' },
  },
  {
    id: '118',
    what: 'the settings of a session, which may be absent',
    schema: Session,
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
  {
    id: '154, 155, 156',
    what: 'what is required of a computer',
    schema: Computer,
    fields: computer(),
    required: ['id', 'name', 'providerType', 'createdAt'],
  },
  {
    id: '157',
    what: 'the host of a computer',
    schema: Computer,
    rest: computer(),
    fields: texts('hostId', 'hostname'),
  },
  {
    id: '158',
    what: 'the status of a computer',
    schema: Computer,
    rest: computer(),
    fields: { status: 'provisioning' },
  },
  {
    id: '159, A29',
    what: 'a provisioning step',
    schema: ProvisioningStep,
    fields: {
      ...texts('id', 'name', 'status', 'error', 'installSessionId'),
      ...counts('startedAt', 'completedAt'),
    },
  },
  {
    id: '159',
    what: 'the provisioning steps of a computer',
    schema: Computer,
    rest: computer(),
    fields: { provisioningSteps: [{ id: 'p1' }] },
  },
  {
    id: '161',
    what: 'the relay addresses of a computer, as secrets',
    schema: Computer,
    rest: computer(),
    fields: { relayClientUrl: secret, relayAgentUrl: secret },
  },
  {
    id: '162',
    what: 'user and owner of a computer',
    schema: Computer,
    rest: computer(),
    fields: texts('remoteUser', 'ownerPrincipalKind', 'ownerId'),
  },
  {
    id: '165',
    what: 'the list of users',
    schema: UserList,
    fields: { users: [], pagination: { hasMore: false } },
    required: ['users', 'pagination'],
  },
  {
    id: '166, 167, A09',
    what: 'a user, whose e-mail and times are kept as they come',
    schema: OrganizationUser,
    fields: {
      ...texts('id', 'email', 'createdAt', 'firstName', 'lastName', 'lastSignInAt'),
      metadata: { any: 1 },
    },
  },
  {
    id: '170',
    what: 'the list of control changes',
    schema: ControlHistory,
    fields: { changes: [], pagination: { hasMore: false } },
    required: ['changes'],
  },
  {
    id: '172',
    what: 'a control change',
    schema: ControlChange,
    fields: {
      revision: 3,
      settings: { a: 1 },
      user: { id: 'u1', email: 'a@x.test', name: 'Ada' },
      updatedAt: '2026-03-01T00:00:00Z',
    },
    required: ['revision'],
  },
  {
    id: '174',
    what: 'session defaults and MCP overrides',
    schema: ControlSettings,
    fields: {
      sessionDefaultSettings: texts('model', 'specModeModel'),
      mcpAutonomyOverrides: { any: 1 },
    },
  },
  {
    id: '175',
    what: 'switches of the client',
    schema: ControlSettings,
    fields: flags(
      'cloudSessionSync',
      'wikiCloudSync',
      'includeCoAuthoredByAgent',
      'enableAgentShield',
      'ideAutoConnect',
    ),
  },
  {
    id: '176',
    what: 'command lists',
    schema: ControlSettings,
    fields: lists('commandAllowlist', 'commandDenylist'),
  },
  {
    id: '177',
    what: 'a custom model',
    schema: CustomModel,
    fields: {
      ...texts('model', 'id', 'baseUrl', 'displayName'),
      apiKey: secret,
      ...counts('index', 'maxContextLimit', 'thinkingMaxTokens', 'maxOutputTokens'),
      ...flags('enableThinking', 'noImageSupport'),
      extraHeaders: { a: secret },
      extraArgs: { a: secret },
    },
  },
  {
    id: '178',
    what: 'the hosting of a custom model',
    schema: CustomModel,
    fields: {
      hostedCloud: {
        ...texts('cloudProfile', 'cloudRegion', 'cloudBaseUrl'),
        cloudAuthRefresh: secret,
        cloudCredentialExport: secret,
      },
    },
  },
  {
    id: '181',
    what: 'the model policy',
    schema: ControlSettings,
    fields: {
      modelPolicy: {
        ...lists('allowedModelIds', 'blockedModelIds', 'allowedBaseUrls'),
        ...flags('allowCustomModels', 'allowAllFactoryModels', 'isFastModelsAllowed'),
      },
    },
  },
  {
    id: '182',
    what: 'MCP and mission policy',
    schema: ControlSettings,
    fields: {
      mcpPolicy: { enabled: true, ...lists('allowlist') },
      missionPolicy: { restrictedAccess: true, ...lists('allowedUserIds') },
    },
  },
  {
    id: '183',
    what: 'plugins and marketplaces',
    schema: ControlSettings,
    fields: {
      userModelPolicies: { any: 1 },
      enabledPlugins: { any: 1 },
      extraKnownMarketplaces: { any: 1 },
      strictKnownMarketplaces: [{ repo: 'a/b' }],
    },
  },
  {
    id: '184',
    what: 'the network policy',
    schema: ControlSettings,
    fields: { networkPolicy: lists('allowedIps') },
  },
  {
    id: '185',
    what: 'the sandbox',
    schema: ControlSettings,
    fields: {
      sandbox: {
        enabled: true,
        filesystem: lists('allowWrite', 'allowRead', 'denyWrite', 'denyRead'),
        network: {
          ...lists('allowedDomains', 'allowUnixSockets'),
          ...flags('allowAllUnixSockets', 'allowLocalBinding'),
          ...counts('httpProxyPort', 'socksProxyPort'),
        },
      },
    },
  },
  {
    id: '186',
    what: 'restrictions and computer switches',
    schema: ControlSettings,
    fields: flags(
      'restrictMemberVisibility',
      'restrictApiKeyCreationToManagers',
      'managedComputersEnabled',
      'byomComputersEnabled',
    ),
  },
  {
    id: '187',
    what: 'allowed e-mails and retention',
    schema: ControlSettings,
    fields: {
      ...lists('managedComputersAllowedEmails', 'byomComputersAllowedEmails'),
      sessionRetentionDays: 30,
    },
  },
  {
    id: '192',
    what: 'the answer to set limits',
    schema: LimitsAnswer,
    fields: {
      updated: [{ email: 'a@x.test', limit: 5 }],
      errors: [{ email: 'b@x.test', error: 'No such user' }],
    },
    required: ['updated', 'errors'],
  },
];

for (const { id, what, schema, fields, required = [], rest = {} } of cases) {
  test(`acceptance ${id}, A04, 225, 226: ${what}`, () => {
    const whole = { ...rest, ...fields };

    assert.deepEqual(schema.parse(whole), whole);
    for (const name of Object.keys(fields)) {
      const { [name]: _, ...without } = { ...whole };
      const isRequired = required.includes(name);
      assert.equal(passes(schema, without), !isRequired, `${name} absent`);
      assert.equal(passes(schema, { ...whole, [name]: null }), !isRequired, `${name} null`);
      assert.equal(passes(schema, { ...whole, [name]: Symbol('wrong') }), false, `${name} wrong`);
      for (const [inner, kind] of wrongInside(fields[name])) {
        assert.equal(passes(schema, { ...whole, [name]: inner }), false, `${name} with ${kind}`);
      }
    }
  });
}

function passes(schema: z.ZodType, value: unknown): boolean {
  return schema.safeParse(value).success;
}

/** The value with one documented inner field of a wrong type, one at a time. Open inner shapes have none. */
function wrongInside(value: unknown): [unknown, string][] {
  if (Array.isArray(value)) {
    const [first] = value;
    return wrongInside(first).map(([inner, kind]) => [[inner], kind]);
  }
  if (typeof value !== 'object' || value === null || value instanceof Secret) return [];
  return Object.entries(value).flatMap(([key, inner]): [unknown, string][] =>
    OPEN.has(key) || inner instanceof Secret ? [] : [[{ ...value, [key]: Symbol('wrong') }, key]],
  );
}

/** Names that stand for "anything" in the cases above. */
const OPEN = new Set(['any', 'a', 'anything', 's2', 's3', 'tool']);

const enums: readonly (readonly [string, z.ZodType, object, string, readonly string[]])[] = [
  ['066', GroupedActivityRow, { date }, 'group_key', ['terminal-ui', 'web', 'non-interactive-cli']],
  ['076', UserRow, { date, user_id: 'u' }, 'primary_model_tier', ['standard', 'thinking']],
  [
    '078',
    UserRow,
    { date, user_id: 'u' },
    'delegation_level',
    ['auto-high', 'auto-medium', 'auto-low', 'spec', 'manual'],
  ],
  ['113, 126, A07', Session, session(), 'status', ['idle', 'pending', 'running']],
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
  ['155, A06', Computer, computer(), 'providerType', ['byom']],
  ['158', Computer, computer(), 'status', ['provisioning', 'active', 'error']],
];

for (const [id, schema, rest, field, values] of enums) {
  test(`acceptance ${id}, 224: ${field} takes its known values and any other text`, () => {
    for (const value of [...values, 'brand-new', '']) {
      assert.ok(passes(schema, { ...rest, [field]: value }), value);
    }
    assert.equal(passes(schema, { ...rest, [field]: 5 }), false);
  });
}

test('acceptance 104, 224: reasoningEffort takes low, medium, high, off and any other text', () => {
  for (const reasoningEffort of ['low', 'medium', 'high', 'off', 'extreme']) {
    assert.ok(passes(Report, report({ modelUsed: { id: 'm', reasoningEffort } })));
  }
});

test('acceptance 048, A15: by_user holds users with the models of each, and any field may be absent', () => {
  const by_user = [
    { user_id: 'u1', user_email: 'a@x.test', billable_tokens: 2, by_model: [{ model_id: 'm' }] },
    { user_email: null, by_model: [{}] },
  ];

  assert.deepEqual(TokenRow.parse({ date, by_user }), { date, by_user });
  assert.equal(passes(TokenRow, { date, by_user: [{ by_model: [{ model_id: 5 }] }] }), false);
});

test('acceptance 143: providerOnePhase may be null', () => {
  assert.ok(passes(Message, message({ providerOnePhase: null })));
});

test('acceptance 103: an absent hasLocalChanges stays absent', () => {
  assert.equal('hasLocalChanges' in Report.parse(report()), false);
});

test('acceptance 222: objects of unshown shape round-trip unchanged', () => {
  const open = { deep: [{ a: null }, [1, 'x']], '': false };

  assert.deepEqual(OrganizationUser.parse({ metadata: open }).metadata, open);
  for (const name of [
    'mcpAutonomyOverrides',
    'userModelPolicies',
    'enabledPlugins',
    'extraKnownMarketplaces',
  ] as const) {
    assert.deepEqual(ControlSettings.parse({ [name]: open })[name], open);
  }
  for (const name of ['extraHeaders', 'extraArgs'] as const) {
    assert.deepEqual(CustomModel.parse({ [name]: open })[name], open);
  }
  const { tags, childInclusiveTokenUsageBySessionId: children } = SessionSettings.parse({
    tags: [{ metadata: open }],
    childInclusiveTokenUsageBySessionId: open,
  });
  assert.deepEqual([tags?.[0]?.metadata, children], [open, open]);
});
