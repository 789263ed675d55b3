import type { UsageCounters } from '../../core/metrics.ts';
import type { Redact } from '../../text/redact.ts';
import {
  addDays,
  bucketToolNames,
  daysOf,
  foldByCase,
  type NamedCount,
  type TokenRow,
  type ToolRow,
} from '../client/index.ts';
import { amountText, costText } from './check-budgets.ts';
import type { DigestOptions } from './digest-audit.ts';
import {
  addUp,
  bars,
  type Block,
  percentChange,
  course,
  courseOf,
  type DigestDays,
  figure,
  figures,
  knownSum,
  type Figure,
  type Section,
  summed,
  rowsWithin,
} from './digest-blocks.ts';
import { creditSeries, type Series } from './series.ts';

/** Credits in total, by day, by model, and by user if requested. */
export function creditSection(
  rows: readonly TokenRow[],
  period: DigestDays,
  { users: isNamed, rate, redactor }: Pick<DigestOptions, 'users' | 'rate' | 'redactor'>,
): Section | null {
  const { days } = period;
  const total = knownSum(rows, days, creditsOf);
  if (rows.length === 0) return null;
  const isKnown = rowsWithin(rows, days).length > 0;
  const cost = { label: 'cost', value: rate === null ? '' : costText(total, rate), change: null };
  const { models, users } = creditSeries(rows);
  const used = daysOf(days);

  const before = used.map((day) => addDays(day, -7));

  function shares(title: string, series: ReadonlyMap<string, Series>): Block {
    const entries = [...series].map(([name, credits]): NamedCount => ({
      name,
      count: used.reduce((known, day) => known + (credits.get(day) ?? 0), 0),
    }));
    return bars(title, entries, redactor.text, {
      changeOf: ({ name }) =>
        percentChange(sum(series.get(name), used), sum(series.get(name), before)),
      textOf: (amount) =>
        total === 0 ? '0' : `${amountText(amount)} (${Math.round((amount / total) * 100)} %)`,
    });
  }

  return {
    title: 'Standard credits',
    blocks: [
      figures(
        summed('standard credits', rows, period, creditsOf),
        ...(rate === null || !isKnown ? [] : [cost]),
      ),
      course('the last four weeks', courseOf(rows, period.course, creditsOf)),
      shares('by model', models),
      ...(isNamed ? [shares('by user', users)] : []),
    ],
  };
}

function creditsOf(row: TokenRow): number | null | undefined {
  return row.billable_tokens;
}

/** Null if a day is missing. */
function sum(series: Series | undefined, days: readonly string[]): number | null {
  const measured = days.flatMap((day) => series?.get(day) ?? []);
  return measured.length < days.length ? null : measured.reduce((total, one) => total + one, 0);
}

export function ownSection(usage: UsageCounters | null, redact: Redact): Section | null {
  if (usage === null) return null;
  const { events, sent, questions, answered } = usage;
  return {
    title: 'hookbell on this machine',
    blocks: [
      figures(
        figure('events', events),
        figure('questions sent', questions),
        figure('answered', answered),
      ),
      bars(
        'messages by channel',
        Object.entries(sent).map(([name, count]) => ({ name, count })),
        redact,
      ),
    ],
  };
}

/**
 * Tools used by agents. Names of MCP servers that differ only in case are merged, parsing artefacts are grouped, and hook
 * commands are omitted because they may hold anything.
 */
export function toolSection(
  rows: readonly ToolRow[],
  period: DigestDays,
  redact: Redact,
): Section | null {
  const { days } = period;
  const found = rowsWithin(rows, days);
  if (found.length === 0) return null;
  const tools = named(found, ({ by_tool: list }) =>
    list?.map(({ tool, invocations }) => ({ name: tool, count: invocations })),
  );
  const servers = named(found, ({ mcp_by_server: list }) =>
    list?.map(({ server, invocations }) => ({ name: server, count: invocations })),
  );
  const skills = named(found, ({ skills_by_name: list }) => list);
  const commands = named(found, ({ slash_commands_by_name: list }) => list);
  const hooks = named(found, ({ hooks_by_event: list }) =>
    list?.map(({ event, matcher, count }) => ({
      name: matcher ? `${event ?? 'unnamed'} (${matcher})` : event,
      count,
    })),
  );
  return {
    title: 'Tools',
    blocks: [
      figures(
        summed('tool calls', rows, period, (row) => row.tool_calls),
        known('skills', (row) => row.skills_invocations),
        known('slash commands', (row) => row.slash_commands_invocations),
        known('hooks', (row) => row.hooks_invocations),
      ),
      bars('tools', bucketToolNames(tools), redact),
      bars('MCP servers', foldByCase(servers), redact),
      bars('skills', skills, redact),
      bars('slash commands', commands, redact),
      bars('hooks', hooks, redact),
    ],
  };

  function known(label: string, amountOf: (row: ToolRow) => number | null | undefined): Figure {
    return figure(label, knownSum(rows, days, amountOf));
  }
}

function named(
  rows: readonly ToolRow[],
  listOf: (row: ToolRow) => readonly Loose[] | null | undefined,
): readonly NamedCount[] {
  const entries = rows.flatMap((row) => listOf(row) ?? []);
  return addUp(entries.map(({ name, count }) => ({ name: name ?? '', count: count ?? 0 })));
}

interface Loose {
  readonly name?: string | null | undefined;
  readonly count?: number | null | undefined;
}
