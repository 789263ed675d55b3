import { type JsonObject, isJsonObject } from '../../platform/json.ts';
import type { Redact } from '../../text/redact.ts';
import type { Column, View } from '../../vendor/client/index.ts';

/** Expands a list inside an analytics row to rows: one per day and entry. */
export interface Breakdown {
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
      { name: 'event', from: 'event' },
      { name: 'matcher', from: 'matcher' },
      { name: 'command', from: 'command' },
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
