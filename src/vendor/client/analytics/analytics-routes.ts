import { z } from 'zod';

import { type Column, defineRoutes } from '../define-routes.ts';
import { dayParameter, limitParameter } from '../schema-parts.ts';
import { delegationLabel } from './names.ts';
import {
  ActivityRow,
  envelopeOf,
  GroupedActivityRow,
  GroupedTokenRow,
  GroupedToolRow,
  ProductivityRow,
  TokenRow,
  ToolRow,
  UserRow,
} from './rows.ts';

const range = {
  startDate: dayParameter.describe('First day, YYYY-MM-DD, UTC; data begins on 2026-01-14'),
  endDate: dayParameter.describe('Last day, YYYY-MM-DD, UTC; yesterday at the latest'),
};

function groupBy<const Dimension extends string>(dimension: Dimension) {
  return z
    .literal(dimension, `expected "${dimension}"`)
    .optional()
    .describe(`One row a day for each ${dimension}`);
}

const day: Column = { name: 'day (UTC)', from: 'date' };
/** Named `billable_tokens` by the service: neither tokens nor money. */
const credits = count('standard credits', 'billable_tokens');

/** A figure that can be added up over rows. */
function count(name: string, from: string): Column {
  return { name, from, kind: 'number', summed: true };
}

/** A figure that cannot: a share, an average, or people, who would count twice. */
function figure(name: string, from: string): Column {
  return { name, from, kind: 'number' };
}

const tokens = [credits, count('input', 'input_tokens'), count('output', 'output_tokens')];

/** Dates are UTC; data reaches from 2026-01-14 to yesterday. */
export const analyticsRoutes = defineRoutes(
  { family: 'analytics', lists: ['data'] },
  {
    'analytics.tokens': {
      summary: 'Standard credits and tokens by day',
      path: '/api/v1/analytics/tokens',
      parameters: z.strictObject({ ...range, group_by: groupBy('model') }),
      response: envelopeOf(TokenRow),
      view: {
        columns: [
          day,
          ...tokens,
          count('cache read', 'cache_read_tokens'),
          count('cache write', 'cache_write_tokens'),
        ],
      },
      grouped: {
        response: envelopeOf(GroupedTokenRow),
        view: { columns: [day, { name: 'model', from: 'group_key' }, ...tokens] },
      },
    },
    'analytics.tools': {
      summary: 'Tool usage and autonomy by day',
      path: '/api/v1/analytics/tools',
      parameters: z.strictObject({ ...range, group_by: groupBy('tool_name') }),
      response: envelopeOf(ToolRow),
      view: {
        columns: [
          day,
          count('tool calls', 'tool_calls'),
          figure('MCP users', 'mcp_users_with_mcp'),
          count('skills', 'skills_invocations'),
          count('slash commands', 'slash_commands_invocations'),
          count('hooks', 'hooks_invocations'),
          figure('web users', 'web_users'),
          figure('autonomy avg', 'autonomy_ratio_avg'),
          figure('p50', 'autonomy_ratio_p50'),
          figure('p90', 'autonomy_ratio_p90'),
          figure('calls a session', 'tool_calls_per_session_avg'),
          figure('turns a session', 'user_turns_per_session_avg'),
        ],
      },
      grouped: {
        response: envelopeOf(GroupedToolRow),
        view: {
          columns: [day, { name: 'tool', from: 'group_key' }, count('tool calls', 'tool_calls')],
        },
      },
    },
    'analytics.activity': {
      summary: 'Active users, sessions and messages by day',
      path: '/api/v1/analytics/activity',
      parameters: z.strictObject({ ...range, group_by: groupBy('client') }),
      response: envelopeOf(ActivityRow),
      view: {
        columns: [
          day,
          figure('daily users', 'daily_active_users'),
          figure('in 7 days', 'weekly_active_users'),
          figure('in 30 days', 'monthly_active_users'),
          count('sessions', 'sessions'),
          count('messages', 'messages'),
          count('by users', 'user_messages'),
        ],
      },
      grouped: {
        response: envelopeOf(GroupedActivityRow),
        view: {
          columns: [
            day,
            { name: 'client', from: 'group_key' },
            figure('daily users', 'daily_active_users'),
          ],
        },
      },
    },
    'analytics.productivity': {
      summary: 'Files, commits and pull requests by day',
      path: '/api/v1/analytics/productivity',
      parameters: z.strictObject(range),
      response: envelopeOf(ProductivityRow),
      view: {
        columns: [
          day,
          count('files created', 'files_created'),
          count('files edited', 'files_edited'),
          count('commits', 'git_commits'),
          count('pull requests', 'git_prs_created'),
        ],
      },
    },
    'analytics.users': {
      summary: 'Metrics of each user by day',
      path: '/api/v1/analytics/users',
      parameters: z.strictObject({
        ...range,
        limit: limitParameter.optional().describe('Page size, 1 to 100; the service takes 20'),
        cursor: z
          .string()
          .optional()
          .describe('Where to continue: meta.next_cursor of the same range'),
      }),
      response: envelopeOf(UserRow),
      pages: 'meta',
      view: {
        columns: [
          day,
          { name: 'user', from: ({ user_email: email, user_id: id }) => email ?? id },
          credits,
          count('sessions', 'sessions'),
          count('messages', 'messages'),
          count('tool calls', 'tool_calls'),
          count('files edited', 'files_edited'),
          count('commits', 'git_commits'),
          { name: 'model', from: 'primary_model' },
          {
            name: 'delegation',
            from: ({ delegation_level: level }) =>
              typeof level === 'string' ? delegationLabel(level) : level,
          },
          figure('autonomy', 'autonomy_ratio'),
          ...(
            [
              ['files created', 'files_created'],
              ['pull requests', 'git_prs_created'],
              ['MCP calls', 'mcp_calls'],
              ['skills', 'skill_calls'],
              ['slash commands', 'slash_commands'],
              ['hooks', 'hooks'],
              ['messages by the user', 'user_messages'],
              ['by the agent', 'assistant_messages'],
            ] as const
          ).map(([name, from]): Column => ({ name, from, kind: 'number', csvOnly: true })),
          { name: 'delegation level', from: 'delegation_level', csvOnly: true },
          { name: 'model tier', from: 'primary_model_tier', csvOnly: true },
          { name: 'languages', from: 'languages', csvOnly: true },
          { name: 'user id', from: 'user_id', csvOnly: true },
        ],
        empty: 'No activity on these days',
        // The service guarantees no order of rows.
        arrange: (items) =>
          items.toSorted((left, right) =>
            String(left['date']).localeCompare(String(right['date'])),
          ),
      },
    },
  },
);
