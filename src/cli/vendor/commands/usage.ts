import type { Command } from 'commander';

import { UsageError } from '../../../platform/errors.ts';
import { isJsonObject, type JsonObject } from '../../../platform/json.ts';
import { createRedactor, type Redact } from '../../../text/redact.ts';
import {
  addDays,
  type AnyRoute,
  type Column,
  type DayRange,
  isUtcDay,
  lastDays,
  routes,
  type View,
} from '../../../vendor/client/index.ts';
import { type DefineCommand, exitCodes, type Run } from '../../context.ts';
import { readWord } from '../../option-values.ts';
import { callAndShow, makeCall } from '../collect.ts';
import { defineRemote } from '../define-remote.ts';
import { show } from '../show.ts';
import { withService } from '../with-client.ts';

interface Options {
  readonly from?: string;
  readonly to?: string;
  readonly by?: string;
  readonly csv?: boolean;
}

const DAYS = 7;

/** `hookbell service usage`: credits, tools, people and work of the organization, by day. */
export const defineUsage: DefineCommand = (program, run) => {
  const usage = program
    .command('usage')
    .description('show credits, tools, active users and work by day (UTC)');
  for (const [words, command] of Object.entries(commands)) defineDaily(usage, run, words, command);
  defineRemote<Options>(usage, run, {
    words: 'users',
    description: 'show one row per user and day',
    route: routes['analytics.users'],
    // Its last line is a total, which would be too low for a part of the rows.
    most: Number.POSITIVE_INFINITY,
    configure: ranged,
    parameters: (_, options) => rangeOf(options),
  });
};

/** Description, route, and the values of `--by` that the service groups by, of each command about days. */
const commands: Readonly<
  Record<string, readonly [string, AnyRoute, Readonly<Record<string, string>>]>
> = {
  tokens: ['show standard credits and tokens', routes['analytics.tokens'], { model: 'model' }],
  tools: [
    'show tool calls, skills, hooks and autonomy',
    routes['analytics.tools'],
    { tool: 'tool_name' },
  ],
  activity: [
    'show active users, sessions and messages',
    routes['analytics.activity'],
    { client: 'client' },
  ],
  productivity: ['show files, commits and pull requests', routes['analytics.productivity'], {}],
};

function defineDaily(
  parent: Command,
  run: Run,
  words: string,
  [description, route, groups]: (typeof commands)[string],
): void {
  const nested = breakdowns[words] ?? {};
  const dimensions = [...Object.keys(groups), ...Object.keys(nested)];
  const showDays = withService(async (context, { api, config }, options: Options) => {
    const { output, json } = context;
    const { by = '', csv } = options;
    const range = rangeOf(options);
    const group = groups[by];
    const breakdown = nested[by];
    const parameters = group === undefined ? range : { ...range, group_by: group };
    const call = { route, parameters, extent: Number.POSITIVE_INFINITY, csv };
    if (breakdown === undefined) return callAndShow(context, api, call);
    const whole = await makeCall(api, call);
    const { text: redact } = createRedactor(config.redact);
    const items = whole.items.filter(isJsonObject).flatMap((row) => breakdown.rowsOf(row, redact));
    const format = csv === true ? 'csv' : json ? 'json' : 'people';
    show(output, breakdown.view, { ...whole, items, json: items }, format);
    return exitCodes.ok;
  });
  ranged(parent.command(words).description(description))
    .option(
      '--by <word>',
      `show one row per day and value of: ${dimensions.join(', ')}`,
      readWord(dimensions),
    )
    .option('--csv', 'print CSV, for spreadsheets')
    .action(run(showDays));
}

function ranged(command: Command): Command {
  return command
    .option('--from <day>', `first day, YYYY-MM-DD; the last ${DAYS} days with data by default`)
    .option('--to <day>', 'last day, YYYY-MM-DD; yesterday by default');
}

/** @throws UsageError when a day is invalid or has no data yet */
function rangeOf({ from, to }: Options): DayRange {
  const { endDate } = lastDays(DAYS, Date.now());
  for (const [option, day] of Object.entries({ '--from': from, '--to': to })) {
    if (day === undefined) continue;
    if (!isUtcDay(day)) throw new UsageError(`${option} is "${day}", expected a day as YYYY-MM-DD`);
    if (day <= endDate) continue;
    throw new UsageError(`${option} is "${day}", but data ends yesterday (UTC), "${endDate}"`);
  }
  const last = to ?? endDate;
  return { startDate: from ?? addDays(last, 1 - DAYS), endDate: last };
}

/** Expands a list inside an analytics row to rows: one per day and entry. */
interface Breakdown {
  readonly view: View;
  readonly rowsOf: (row: JsonObject, redact: Redact) => readonly JsonObject[];
}

const NOTHING = 'No rows found';
const day: Column = { name: 'day (UTC)', from: 'date' };
const credits = counted('standard credits', 'billable_tokens');
const user: Column = {
  name: 'user',
  from: ({ user_email: email, user_id: id }) => email ?? id,
};
const userId: Column = { name: 'user id', from: 'user_id', csvOnly: true };
const model: Column = { name: 'model', from: 'model_id' };
const tokens = [credits, counted('input', 'input_tokens'), counted('output', 'output_tokens')];

/** By command of `hookbell service usage`, then by the value of its `--by`. Dimensions that the service groups by are not listed. */
export const breakdowns: Readonly<Record<string, Readonly<Record<string, Breakdown>>>> = {
  tokens: {
    user: listed('by_user', [user, credits, userId]),
    'user-model': {
      view: { columns: [day, user, model, ...tokens, userId], empty: NOTHING },
      rowsOf: ({ date, by_user: users }) =>
        entriesOf(users).flatMap(({ by_model: models, user_email, user_id }) =>
          entriesOf(models).map((entry) => ({ ...entry, user_email, user_id, date })),
        ),
    },
    tier: listed('by_model', [{ name: 'tier', from: 'model_tier' }, model, ...tokens]),
  },
  tools: {
    server: named('mcp_by_server', 'server', 'invocations'),
    skill: named('skills_by_name', 'name', 'count'),
    command: named('slash_commands_by_name', 'name', 'count'),
    hook: listed('hooks_by_event', [
      ...['event', 'matcher', 'command'].map((name) => ({ name, from: name })),
      counted('count', 'count'),
    ]),
    level: {
      view: {
        columns: [
          day,
          { name: 'level', from: 'level' },
          { name: 'share', from: 'share', kind: 'number' },
        ],
        empty: NOTHING,
      },
      rowsOf: ({ date, tool_autonomy_level_ratio: ratio }) =>
        isJsonObject(ratio)
          ? Object.entries(ratio).map(([level, share]) => ({ date, level, share }))
          : [],
    },
  },
  productivity: {
    language: named('by_language', 'language', 'count'),
    extension: named('by_extension', 'extension', 'count'),
  },
};

function listed(field: string, columns: readonly Column[]): Breakdown {
  return {
    view: { columns: [day, ...columns], empty: NOTHING },
    rowsOf: ({ date, [field]: list }, redact) =>
      entriesOf(list).map(({ command, ...entry }) => ({
        ...entry,
        // A hook's command line is personal and may hold a token.
        ...(typeof command === 'string' && { command: redact(command) }),
        date,
      })),
  };
}

/** A list of names with a number each. */
function named(field: string, name: string, count: string): Breakdown {
  return listed(field, [{ name, from: name }, counted(count, count)]);
}

function counted(name: string, from: string): Column {
  return { name, from, kind: 'number', summed: true };
}

function entriesOf(list: unknown): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}
