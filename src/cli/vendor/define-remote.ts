import type { Command, OptionValues } from 'commander';
import { z } from 'zod';

import {
  type AnyRoute,
  type Client,
  isNestedTooDeep,
  namesInPath,
  type Route,
  routes,
} from '../../vendor/client/index.ts';
import { UsageError } from '../../platform/errors.ts';
import type { Run } from '../context.ts';
import { readLimit } from '../option-values.ts';
import { callAndShow } from './collect.ts';
import { typedValue } from './column.ts';
import { withService } from './with-client.ts';

/** Maximum number of items unless `--max` is given. */
export const DEFAULT_MAX = 1_000;

/** The largest page size that every list of the service supports. */
export const MAX_PAGE = 100;

/** A command that makes one typed call. */
interface RemoteCommand<Options extends OptionValues> {
  /** Its name and arguments in commander's notation: "get <session>". */
  readonly words: string;
  readonly description: string;
  readonly route: AnyRoute;
  readonly configure?: (command: Command) => Command;
  /** The parameters, checked by the client. May make a look-up first. */
  readonly parameters: (
    words: readonly string[],
    options: Options,
    api: Client,
  ) => object | Promise<object>;
  /** Items shown unless `--max` is given; 1000 by default. */
  readonly most?: number;
}

/** Adds a command that makes one typed call; lists also get `--csv`, paged lists `--max`. */
export function defineRemote<Options extends OptionValues>(
  parent: Command,
  run: Run,
  { words, description, route, configure, parameters, most = DEFAULT_MAX }: RemoteCommand<Options>,
): void {
  const command = parent.command(words).description(description);
  configure?.(command);
  if (route.lists.length > 0) command.option('--csv', 'print CSV, for spreadsheets');
  if (route.pages !== null) {
    const byDefault = Number.isFinite(most) ? `${most}` : 'all';
    command.option('--max <n>', `maximum number of items; ${byDefault} by default`, readLimit);
  }
  command.action(
    run(
      withService(async (context, { api }) => {
        const { max = most, csv } = command.opts<{ max?: number; csv?: boolean }>();
        const asked = await parameters(command.args, command.opts<Options>(), api);
        return callAndShow(context, api, {
          route,
          parameters: route.pages === null ? asked : { limit: Math.min(max, MAX_PAGE), ...asked },
          extent: max,
          csv,
        });
      }),
    ),
  );
}

/** The pages of a list are fetched as `--max` needs them. */
const PAGING = new Set(['limit', 'cursor', 'startAfter']);

/**
 * Adds the commands of a noun that the route table declares: their arguments are the names in the path, their options the
 * rest of the query, `computerId` as `--computer <id>`.
 */
export function defineDerived(parent: Command, run: Run): void {
  for (const route of Object.values(routes)) {
    const [noun, ...words] = route.command?.words.split(' ') ?? [];
    if (route.command === null || noun !== parent.name()) continue;
    const inPath = namesInPath(route.path);
    const options = parametersOf(route)
      .filter(({ name }) => !inPath.includes(name) && !PAGING.has(name))
      .map((parameter) => ({ ...parameter, flag: parameter.name.replace(/Id$/, '') }));
    defineRemote(parent, run, {
      words: words.join(' '),
      description: route.command.description,
      route,
      configure: (command) => {
        for (const { name, type, flag, description } of options) {
          command.option(`--${flag} <${name === flag ? type : 'id'}>`, description);
        }
        return command;
      },
      parameters: (given, typed) => ({
        ...Object.fromEntries(inPath.map((name, index) => [name, given[index]])),
        ...readParameters(options, typed),
      }),
    });
  }
}

/** A parameter of a route as a command option. */
interface RouteParameter {
  readonly name: string;
  readonly type: 'text' | 'number' | 'json';
  readonly isRequired: boolean;
  readonly description: string;
  /** The option, if it has another name. */
  readonly flag?: string;
}

/** The parameters of a route, from the schema that checks them. */
export function parametersOf({ parameters }: Pick<Route, 'parameters'>): readonly RouteParameter[] {
  const { properties = {}, required = [] } = z.toJSONSchema(parameters, { io: 'input' });
  return Object.entries(properties).map(([name, schema]) => {
    const { type, description = '' } = typeof schema === 'object' ? schema : {};
    return { name, type: typeOf(type), isRequired: required.includes(name), description };
  });
}

/** The parameters of a call; the client checks them. @throws UsageError when a number or JSON is invalid */
export function readParameters(
  parameters: readonly RouteParameter[],
  options: OptionValues,
): Readonly<Record<string, unknown>> {
  const given = parameters.flatMap(({ name, type, flag = name }) => {
    const text: unknown = options[flag];
    return typeof text === 'string' ? [[name, readValue(flag, type, text)] as const] : [];
  });
  return Object.fromEntries(given);
}

function readValue(name: string, type: RouteParameter['type'], text: string): unknown {
  if (type === 'text') return text;
  if (type === 'number') {
    if (/^-?[0-9]+(?:\.[0-9]+)?$/.test(text)) return Number(text);
    throw new UsageError(`--${name} is "${text}", expected a number in decimal digits`);
  }
  const value = typedValue(text);
  if (typeof value !== 'string') return value;
  if (isNestedTooDeep(value)) throw new UsageError(`--${name} is nested too deep`);
  try {
    // The content of a file is still a string here.
    return JSON.parse(value);
  } catch (cause) {
    throw new UsageError(`--${name} is not JSON, expected JSON or @FILE`, { cause });
  }
}

function typeOf(type: unknown): RouteParameter['type'] {
  if (type === 'number' || type === 'integer') return 'number';
  return type === 'array' || type === 'object' ? 'json' : 'text';
}
