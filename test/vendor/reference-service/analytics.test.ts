import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Mock } from '../../support/reference-service/reference-server.ts';
import type { JsonObject } from '../../../src/platform/json.ts';
import { ask, number, object, openMock, rows, text, WEEK, YESTERDAY } from './ask.ts';

const ALL = `startDate=2026-01-14&endDate=${YESTERDAY}`;

async function data(mock: Mock, name: string, query = ALL): Promise<JsonObject[]> {
  const answered = await ask(
    mock,
    `/api/v1/analytics/${name}${name.includes('?') ? '&' : '?'}${query}`,
  );
  assert.equal(answered.status, 200, answered.text);
  return rows(answered.json, 'data');
}

/** Sums of fields, by the value of another one. */
function sums(list: readonly JsonObject[], by: string, fields: readonly string[]) {
  const totals: Record<string, Record<string, number>> = {};
  for (const row of list) {
    const sum = (totals[text(row[by])] ??= {});
    for (const field of fields) sum[field] = (sum[field] ?? 0) + number(row[field]);
  }
  return totals;
}

function total(list: readonly JsonObject[], field: string): number {
  return list.reduce((sum, row) => sum + number(row[field]), 0);
}

const TOKEN_FIELDS = ['billable_tokens', 'input_tokens', 'output_tokens'];

test('tokens: rows grouped by model add up to the days, nested models and users as well', async () => {
  await using mock = await openMock();

  const daily = await data(mock, 'tokens');
  const grouped = await data(mock, 'tokens?group_by=model');

  assert.deepEqual(sums(daily, 'date', TOKEN_FIELDS), sums(grouped, 'date', TOKEN_FIELDS));
  const nested = daily.flatMap((row) => rows(row, 'by_model'));
  assert.deepEqual(
    sums(nested, 'model_id', TOKEN_FIELDS),
    sums(grouped, 'group_key', TOKEN_FIELDS),
  );
  for (const row of daily) {
    const people = rows(row, 'by_user');
    assert.equal(total(people, 'billable_tokens'), row['billable_tokens']);
    const models = people.flatMap((person) => rows(person, 'by_model'));
    assert.equal(total(models, 'billable_tokens'), row['billable_tokens']);
  }
});

test('tools: rows grouped by tool add up to the days, and each nested list to its total', async () => {
  await using mock = await openMock();

  const daily = await data(mock, 'tools');
  const grouped = await data(mock, 'tools?group_by=tool_name');

  assert.deepEqual(sums(daily, 'date', ['tool_calls']), sums(grouped, 'date', ['tool_calls']));
  for (const row of daily) {
    assert.equal(total(rows(row, 'by_tool'), 'invocations'), row['tool_calls']);
    assert.equal(total(rows(row, 'skills_by_name'), 'count'), row['skills_invocations']);
    assert.equal(
      total(rows(row, 'slash_commands_by_name'), 'count'),
      row['slash_commands_invocations'],
    );
    assert.equal(total(rows(row, 'hooks_by_event'), 'count'), row['hooks_invocations']);
    assert.ok(number(row['autonomy_ratio_p50']) <= number(row['autonomy_ratio_p90']));
    const shares = Object.values(object(row['tool_autonomy_level_ratio'])).map(number);
    assert.ok(Math.abs(shares.reduce((sum, share) => sum + share, 0) - 1) < 1e-9);
  }
});

test('activity: each client <= daily <= sum of clients, and daily <= weekly <= monthly', async () => {
  await using mock = await openMock();

  const daily = await data(mock, 'activity');
  const grouped = await data(mock, 'activity?group_by=client');

  assert.equal(daily.length, 182);
  for (const row of daily) {
    const users = number(row['daily_active_users']);
    const clients = object(row['daily_active_users_by_client']);
    const counts = Object.values(clients).map(number);
    assert.ok(Math.max(...counts) <= users);
    assert.ok(users <= counts.reduce((sum, count) => sum + count, 0));
    assert.ok(users <= number(row['weekly_active_users']));
    assert.ok(number(row['weekly_active_users']) <= number(row['monthly_active_users']));
    const groups = grouped.filter(({ date }) => date === row['date']);
    assert.deepEqual(
      Object.fromEntries(groups.map((group) => [group['group_key'], group['daily_active_users']])),
      clients,
    );
  }
});

test('activity: weekly users are those of the trailing seven days, today included', async () => {
  await using mock = await openMock();

  const people = await data(mock, 'users?limit=100', WEEK);
  const [last] = (await data(mock, 'activity', WEEK)).slice(-1);

  const seen = new Set(people.map((row) => row['user_id']));
  assert.equal(last?.['weekly_active_users'], seen.size);
});

test('users: their rows add up to tokens, tools, activity and productivity of the same day', async () => {
  await using mock = await openMock();

  const people = await data(mock, 'users?limit=100', WEEK);

  const expectations: [string, Record<string, string>][] = [
    ['tokens', { billable_tokens: 'billable_tokens' }],
    ['tools', { tool_calls: 'tool_calls', hooks: 'hooks_invocations' }],
    ['tools', { skill_calls: 'skills_invocations', slash_commands: 'slash_commands_invocations' }],
    ['activity', { sessions: 'sessions', messages: 'messages', user_messages: 'user_messages' }],
    ['productivity', { files_created: 'files_created', files_edited: 'files_edited' }],
    ['productivity', { git_commits: 'git_commits', git_prs_created: 'git_prs_created' }],
  ];
  for (const [name, fields] of expectations) {
    for (const row of await data(mock, name, WEEK)) {
      const ofDay = people.filter(({ date }) => date === row['date']);
      for (const [own, summed] of Object.entries(fields)) {
        assert.equal(total(ofDay, own), row[summed], `${name} ${own} of ${text(row['date'])}`);
      }
    }
  }
  for (const row of people) {
    assert.equal(number(row['user_messages']) + number(row['assistant_messages']), row['messages']);
  }
});

test('productivity: extensions and languages both add up to the files touched', async () => {
  await using mock = await openMock();

  for (const row of await data(mock, 'productivity')) {
    const touched = number(row['files_created']) + number(row['files_edited']);
    assert.equal(total(rows(row, 'by_extension'), 'count'), touched);
    assert.equal(total(rows(row, 'by_language'), 'count'), touched);
  }
});

test('analytics: data begins on 2026-01-14, and a new day comes with the clock', async () => {
  await using mock = await openMock();

  const early = await data(mock, 'tokens', 'startDate=2025-12-01&endDate=2026-01-15');
  mock.clock.advance(86_400_000);
  const fresh = await data(mock, 'tokens', 'startDate=2026-07-14&endDate=2026-07-15');

  assert.deepEqual(
    early.map(({ date }) => date),
    ['2026-01-14', '2026-01-15'],
  );
  assert.equal(fresh.length, 2);
});

test('analytics: the data has a spike, an idle user, an unknown e-mail and dirty names', async () => {
  await using mock = await openMock();

  const people = await data(mock, 'users?limit=100');
  const [spike] = await data(mock, 'tokens', 'startDate=2026-02-24&endDate=2026-02-24');
  const usual = await data(mock, 'tokens');
  const tools = await data(mock, 'tools');

  const names = new Set(tools.flatMap((row) => rows(row, 'by_tool').map(({ tool }) => text(tool))));
  const servers = new Set(
    tools.flatMap((row) => rows(row, 'mcp_by_server').map(({ server }) => text(server))),
  );
  assert.equal(new Set(people.map((row) => row['user_id'])).size, 11);
  assert.ok(people.some((row) => row['user_email'] === null));
  assert.ok(number(spike?.['billable_tokens']) > (3 * total(usual, 'billable_tokens')) / 182);
  assert.ok([...names].some((name) => /[<>\n]/.test(name)));
  assert.ok(servers.has('github') && servers.has('GitHub'));
});
