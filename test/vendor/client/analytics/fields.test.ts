import assert from 'node:assert/strict';
import { test } from 'node:test';
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
} from '../../../../src/vendor/client/analytics/rows.ts';
import type { EnumCase } from '../field-cases.ts';
import { counts, date, lists, passes, testEnum, testFields, texts } from '../field-cases.ts';

for (const fieldCase of [
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
]) {
  testFields(fieldCase);
}

const enums: readonly EnumCase[] = [
  ['066', GroupedActivityRow, { date }, 'group_key', ['terminal-ui', 'web', 'non-interactive-cli']],
  ['076', UserRow, { date, user_id: 'u' }, 'primary_model_tier', ['standard', 'thinking']],
  [
    '078',
    UserRow,
    { date, user_id: 'u' },
    'delegation_level',
    ['auto-high', 'auto-medium', 'auto-low', 'spec', 'manual'],
  ],
];

for (const enumCase of enums) testEnum(enumCase);

test('acceptance 048, A15: by_user holds users with the models of each, and any field may be absent', () => {
  const by_user = [
    { user_id: 'u1', user_email: 'a@x.test', billable_tokens: 2, by_model: [{ model_id: 'm' }] },
    { user_email: null, by_model: [{}] },
  ];

  assert.deepEqual(TokenRow.parse({ date, by_user }), { date, by_user });
  assert.equal(passes(TokenRow, { date, by_user: [{ by_model: [{ model_id: 5 }] }] }), false);
});
