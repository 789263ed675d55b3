import type { NamedCount, ToolRow } from '../api/index.ts';
import { bucketToolNames, foldByCase } from '../api/index.ts';
import type { Redact } from '../core/redact.ts';
import type { Block, Section } from './digest-blocks.ts';
import { addUp, barsOf, figure, knownSum, summed, within } from './digest-counts.ts';
import type { DigestDays } from './digest-days.ts';

/**
 * What agents used. Names of MCP servers that differ in case are one, artefacts of parsing are put together, and commands
 * of hooks are left out, since they may hold anything.
 */
export function toolSection(
  rows: readonly ToolRow[],
  period: DigestDays,
  redact: Redact,
): Section | null {
  const { days } = period;
  const found = within(rows, days);
  if (found.length === 0) return null;
  return {
    title: 'Tools',
    blocks: [
      {
        type: 'figures',
        figures: [
          summed('tool calls', rows, period, (row) => row.tool_calls),
          figure(
            'skills',
            knownSum(rows, days, (row) => row.skills_invocations),
          ),
          figure(
            'slash commands',
            knownSum(rows, days, (row) => row.slash_commands_invocations),
          ),
          figure(
            'hooks',
            knownSum(rows, days, (row) => row.hooks_invocations),
          ),
        ],
      },
      bars(
        'tools',
        bucketToolNames(
          named(({ by_tool: list }) =>
            list?.map(({ tool, invocations }) => ({ name: tool, count: invocations })),
          ),
        ),
      ),
      bars(
        'MCP servers',
        foldByCase(
          named(({ mcp_by_server: list }) =>
            list?.map(({ server, invocations }) => ({ name: server, count: invocations })),
          ),
        ),
      ),
      bars(
        'skills',
        named(({ skills_by_name: list }) => list),
      ),
      bars(
        'slash commands',
        named(({ slash_commands_by_name: list }) => list),
      ),
      bars(
        'hooks',
        named(({ hooks_by_event: list }) =>
          list?.map(({ event, matcher, count }) => ({
            name: matcher ? `${event} (${matcher})` : event,
            count,
          })),
        ),
      ),
    ],
  };

  function bars(title: string, entries: readonly NamedCount[]): Block {
    return { type: 'bars', title, bars: barsOf(entries, redact) };
  }

  function named(listOf: (row: ToolRow) => readonly Loose[] | null | undefined): NamedCount[] {
    const entries = found.flatMap((row) => listOf(row) ?? []);
    return [...addUp(entries.map(({ name, count }) => ({ name: name ?? '', count: count ?? 0 })))];
  }
}

interface Loose {
  readonly name?: string | null | undefined;
  readonly count?: number | null | undefined;
}
