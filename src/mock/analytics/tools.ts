import type { PersonDay } from '../data/telemetry.ts';
import type { Level } from '../data/vocabulary.ts';
import { HOOKS } from '../data/vocabulary.ts';
import type { Tally } from '../tally.ts';
import { merge, sumOf, totalOf } from '../tally.ts';
import { percentile, ratio } from './ratio.ts';

/** Planning first is approving by hand: the distribution has no key of its own for it. */
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

/** One row a tool: what `group_by=tool_name` answers. */
export function toolGroups(date: string, entries: readonly PersonDay[]) {
  const tools: Tally = merge(entries.map((entry) => entry.tools));
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
