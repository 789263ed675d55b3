import type { Command } from 'commander';

import { addDays, isUtcDay, lastDays } from '../../api/index.ts';
import type { DefineCommand } from '../define-command.ts';
import { readWord } from '../option-values.ts';
import type { RemoteCommand } from '../remote/define-remote.ts';
import { defineRemote } from '../remote/define-remote.ts';

interface Options {
  readonly from?: string;
  readonly to?: string;
  readonly by?: string;
}

const DAYS = 7;

/** `hookbell usage`: credits, tools, people and work of the organization, by day. */
export const defineUsage: DefineCommand = (program, run) => {
  const usage = program
    .command('usage')
    .description('show credits, tools, active users and work of the organization, by day (UTC)');
  for (const command of commands) defineRemote(usage, run, command);
};

const commands: readonly RemoteCommand<Options>[] = [
  {
    words: 'tokens',
    description: 'standard credits and tokens',
    id: 'analytics.tokens',
    configure: (command) => by(ranged(command), 'model'),
    parameters: (_, options) => questionOf(options, { model: 'model' }),
  },
  {
    words: 'tools',
    description: 'tool calls, skills, hooks and autonomy',
    id: 'analytics.tools',
    configure: (command) => by(ranged(command), 'tool'),
    parameters: (_, options) => questionOf(options, { tool: 'tool_name' }),
  },
  {
    words: 'activity',
    description: 'active users, sessions and messages',
    id: 'analytics.activity',
    configure: (command) => by(ranged(command), 'client'),
    parameters: (_, options) => questionOf(options, { client: 'client' }),
  },
  {
    words: 'productivity',
    description: 'files, commits and pull requests',
    id: 'analytics.productivity',
    configure: ranged,
    parameters: (_, options) => rangeOf(options),
  },
  {
    words: 'users',
    description: 'one line for each user and day',
    id: 'analytics.users',
    // Its last line adds up: of a part it would say too little.
    most: Number.POSITIVE_INFINITY,
    configure: ranged,
    parameters: (_, options) => rangeOf(options),
  },
];

function ranged(command: Command): Command {
  return command
    .option('--from <day>', `first day, YYYY-MM-DD; the last ${DAYS} days with data by default`)
    .option('--to <day>', 'last day, YYYY-MM-DD; yesterday by default');
}

function by(command: Command, dimension: string): Command {
  return command.option(
    `--by <${dimension}>`,
    `one line a day for each ${dimension}`,
    readWord([dimension]),
  );
}

function questionOf(options: Options, dimensions: Readonly<Record<string, string>>): object {
  const { by: dimension } = options;
  const range = rangeOf(options);
  return dimension === undefined ? range : { ...range, group_by: dimensions[dimension] };
}

function rangeOf({ from, to }: Options): object {
  const { endDate } = lastDays(DAYS, Date.now());
  const last = to ?? endDate;
  return { startDate: from ?? firstBefore(last), endDate: last };
}

/** What is no day is passed on: the client says what is wrong with it. */
function firstBefore(last: string): string {
  return isUtcDay(last) ? addDays(last, 1 - DAYS) : last;
}
