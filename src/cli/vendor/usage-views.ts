import { delegationLabel } from '../../vendor/client/index.ts';
import type { Column } from './column.ts';
import type { View } from './show.ts';

const day: Column = { name: 'day (UTC)', from: 'date' };
/** Named `billable_tokens` by the service: neither tokens nor money. */
const credits: Column = {
  name: 'standard credits',
  from: 'billable_tokens',
  kind: 'number',
  summed: true,
};

/** A figure that can be added up over rows. */
function count(name: string, from: string): Column {
  return { name, from, kind: 'number', summed: true };
}

/** A figure that cannot: a share, an average, or people, who would count twice. */
function figure(name: string, from: string): Column {
  return { name, from, kind: 'number' };
}

const tokens = [credits, count('input', 'input_tokens'), count('output', 'output_tokens')];

export const tokenView: View = {
  columns: [
    day,
    ...tokens,
    count('cache read', 'cache_read_tokens'),
    count('cache write', 'cache_write_tokens'),
  ],
};

export const tokensByModelView: View = {
  columns: [day, { name: 'model', from: 'group_key' }, ...tokens],
};

export const toolView: View = {
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
};

export const toolsByNameView: View = {
  columns: [day, { name: 'tool', from: 'group_key' }, count('tool calls', 'tool_calls')],
};

export const activityView: View = {
  columns: [
    day,
    figure('daily users', 'daily_active_users'),
    figure('in 7 days', 'weekly_active_users'),
    figure('in 30 days', 'monthly_active_users'),
    count('sessions', 'sessions'),
    count('messages', 'messages'),
    count('by users', 'user_messages'),
  ],
};

export const activityByClientView: View = {
  columns: [
    day,
    { name: 'client', from: 'group_key' },
    figure('daily users', 'daily_active_users'),
  ],
};

export const productivityView: View = {
  columns: [
    day,
    count('files created', 'files_created'),
    count('files edited', 'files_edited'),
    count('commits', 'git_commits'),
    count('pull requests', 'git_prs_created'),
  ],
};

export const userDayView: View = {
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
    items.toSorted((left, right) => String(left['date']).localeCompare(String(right['date']))),
};
