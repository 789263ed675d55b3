import {
  activeWithin,
  CLIENTS,
  HOOKS,
  LANGUAGES,
  type Ledger,
  type Level,
  merge,
  MODELS,
  type ModelUse,
  mostSeen,
  type PersonDay,
  sumOf,
  type UseCounts,
  totalOf,
} from '../data/telemetry.ts';

/** `spec` counts as `manual`: the distribution has no separate key for it. */
const LEVEL_KEYS: Record<Level, string> = {
  'auto-high': 'auto_high',
  'auto-medium': 'auto_medium',
  'auto-low': 'auto_low',
  spec: 'manual',
  manual: 'manual',
};

export function toolRow(date: string, entries: readonly PersonDay[]) {
  const tools = merge(entries.map((entry) => entry.tools));
  const servers = merge(entries.map((entry) => entry.servers));
  const skills = merge(entries.map((entry) => entry.skills));
  const commands = merge(entries.map((entry) => entry.commands));
  const hooks = HOOKS.map((hook, index) => ({
    ...hook,
    count: sumOf(entries.map((entry) => entry.hooks[index] ?? 0)),
  }));
  const sessions = sumOf(entries.map(({ clients }) => totalOf(clients)));
  const userMessages = sumOf(entries.map((entry) => entry.userMessages));
  const autonomy = entries.map((entry) => ratio(totalOf(entry.tools), entry.userMessages));
  return {
    date,
    tool_calls: totalOf(tools),
    by_tool: [...tools].map(([tool, invocations]) => ({ tool, invocations })),
    mcp_users_with_mcp: entries.filter((entry) => entry.servers.size > 0).length,
    mcp_by_server: [...servers].map(([server, invocations]) => ({ server, invocations })),
    skills_invocations: totalOf(skills),
    skills_by_name: [...skills].map(([name, count]) => ({ name, count })),
    slash_commands_invocations: totalOf(commands),
    slash_commands_by_name: [...commands].map(([name, count]) => ({ name, count })),
    hooks_invocations: sumOf(hooks.map(({ count }) => count)),
    hooks_by_event: hooks.filter(({ count }) => count > 0),
    web_users: entries.filter(({ clients }) => clients.has('web')).length,
    autonomy_ratio_avg: ratio(sumOf(autonomy), autonomy.length),
    autonomy_ratio_p50: percentile(autonomy, 0.5),
    autonomy_ratio_p90: percentile(autonomy, 0.9),
    tool_calls_per_session_avg: ratio(totalOf(tools), sessions),
    user_turns_per_session_avg: ratio(userMessages, sessions),
    tool_autonomy_level_ratio: levelShares(entries),
  };
}

/** One row per tool, for `group_by=tool_name`. */
export function toolGroups(date: string, entries: readonly PersonDay[]) {
  const tools: UseCounts = merge(entries.map((entry) => entry.tools));
  return [...tools].map(([tool, calls]) => ({ date, group_key: tool, tool_calls: calls }));
}

function levelShares(entries: readonly PersonDay[]) {
  const calls = merge(
    entries.map(({ level, tools }) => new Map([[LEVEL_KEYS[level], totalOf(tools)]])),
  );
  const share = (key: string): number => {
    const all = totalOf(calls);
    return all === 0 ? 0 : (calls.get(key) ?? 0) / all;
  };
  return {
    auto_high: share('auto_high'),
    auto_medium: share('auto_medium'),
    auto_low: share('auto_low'),
    manual: share('manual'),
  };
}

/** Takes the ledger, not one day of it: weekly and monthly users look back. */
export function activityRow(date: string, ledger: Ledger) {
  const entries = ledger.on(date);
  const userMessages = sumOf(entries.map((entry) => entry.userMessages));
  return {
    date,
    daily_active_users: entries.length,
    weekly_active_users: activeWithin(ledger, date, 7).size,
    monthly_active_users: activeWithin(ledger, date, 30).size,
    daily_active_users_by_client: Object.fromEntries(usersByClient(date, ledger)),
    sessions: sumOf(entries.map(({ clients }) => totalOf(clients))),
    messages: userMessages + sumOf(entries.map((entry) => entry.assistantMessages)),
    user_messages: userMessages,
  };
}

/** One row per client type, for `group_by=client`. */
export function activityGroups(date: string, ledger: Ledger) {
  return usersByClient(date, ledger).map(([client, users]) => ({
    date,
    group_key: client,
    daily_active_users: users,
  }));
}

function usersByClient(date: string, ledger: Ledger): [string, number][] {
  return CLIENTS.map((client) => [
    client,
    ledger.on(date).filter(({ clients }) => clients.has(client)).length,
  ]);
}

export function productivityRow(date: string, entries: readonly PersonDay[]) {
  const extensions = merge(entries.map((entry) => entry.extensions));
  const created = sumOf(entries.map((entry) => entry.filesCreated));
  return {
    date,
    files_created: created,
    files_edited: totalOf(extensions) - created,
    by_extension: [...extensions].map(([extension, count]) => ({ extension, count })),
    by_language: [...languagesOf(extensions)].map(([language, count]) => ({ language, count })),
    git_commits: sumOf(entries.map((entry) => entry.commits)),
    git_prs_created: sumOf(entries.map((entry) => entry.pullRequests)),
  };
}

/** Files touched by language; several extensions may be one language. */
export function languagesOf(extensions: UseCounts): UseCounts {
  return merge(
    [...extensions].map(
      ([extension, count]) => new Map([[LANGUAGES.get(extension) ?? extension, count]]),
    ),
  );
}

/** A quotient with two decimals; 0 when there is nothing to divide by. */
export function ratio(dividend: number, divisor: number): number {
  return divisor === 0 ? 0 : Math.round((dividend / divisor) * 100) / 100;
}

/** The value below or at which the share of the values lies (nearest rank); 0 without values. */
function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

interface ModelRow {
  model_id: string;
  model_tier: string;
  billable_tokens: number;
  input_tokens: number;
  output_tokens: number;
}

export function tokenRow(date: string, entries: readonly PersonDay[]) {
  const uses = entries.flatMap(({ models }) => models);
  return {
    date,
    billable_tokens: sumOf(uses.map(({ billable }) => billable)),
    input_tokens: sumOf(uses.map(({ input }) => input)),
    output_tokens: sumOf(uses.map(({ output }) => output)),
    cache_read_tokens: sumOf(uses.map(({ cacheRead }) => cacheRead)),
    cache_write_tokens: sumOf(uses.map(({ cacheWrite }) => cacheWrite)),
    by_model: byModel(uses),
    by_user: entries.map(({ person, models }) => ({
      user_id: person.id,
      // A string here by the document, though user rows may hold null for the same person.
      user_email: person.email,
      billable_tokens: sumOf(models.map(({ billable }) => billable)),
      by_model: byModel(models),
    })),
  };
}

/** One row per model, for `group_by=model`. */
export function tokenGroups(date: string, entries: readonly PersonDay[]) {
  return byModel(entries.flatMap(({ models }) => models)).map((row) => ({
    date,
    group_key: row.model_id,
    billable_tokens: row.billable_tokens,
    input_tokens: row.input_tokens,
    output_tokens: row.output_tokens,
  }));
}

function byModel(uses: readonly ModelUse[]): ModelRow[] {
  const rows = new Map<string, ModelRow>();
  for (const { model, billable, input, output } of uses) {
    const row = rows.get(model.id);
    rows.set(model.id, {
      model_id: model.id,
      model_tier: model.tier,
      billable_tokens: (row?.billable_tokens ?? 0) + billable,
      input_tokens: (row?.input_tokens ?? 0) + input,
      output_tokens: (row?.output_tokens ?? 0) + output,
    });
  }
  return [...rows.values()];
}

export function userRow(date: string, entry: PersonDay) {
  const { person, userMessages, assistantMessages } = entry;
  const model = mostSeen(new Map(entry.models.map((use) => [use.model.id, use.input])));
  return {
    user_id: person.id,
    user_email: person.analyticsEmail,
    date,
    tool_calls: totalOf(entry.tools),
    billable_tokens: sumOf(entry.models.map(({ billable }) => billable)),
    files_created: entry.filesCreated,
    files_edited: totalOf(entry.extensions) - entry.filesCreated,
    git_commits: entry.commits,
    git_prs_created: entry.pullRequests,
    mcp_calls: totalOf(entry.servers),
    skill_calls: totalOf(entry.skills),
    slash_commands: totalOf(entry.commands),
    hooks: sumOf(entry.hooks),
    sessions: totalOf(entry.clients),
    messages: userMessages + assistantMessages,
    user_messages: userMessages,
    assistant_messages: assistantMessages,
    primary_model: model,
    primary_model_tier: MODELS.find(({ id }) => id === model)?.tier ?? 'standard',
    autonomy_ratio: ratio(totalOf(entry.tools), userMessages),
    delegation_level: entry.level,
    languages: [...languagesOf(entry.extensions).keys()],
  };
}
