import type { Command, OptionValues } from 'commander';

import type { Client, Route, RouteId, RouteOptions } from '../../api/index.ts';
import { routes } from '../../api/index.ts';
import type { CommandAction } from '../context.ts';
import { readLimit } from '../option-values.ts';
import { callAndShow } from './call.ts';
import { DEFAULT_MAX, MAX_PAGE } from './page-sizes.ts';
import { withClient } from './with-client.ts';

/** A command that makes one typed call. */
export interface RemoteCommand<Options extends OptionValues = OptionValues> {
  /** Its name and arguments in commander's notation: "get <session>". */
  readonly words: string;
  readonly description: string;
  readonly id: RouteId;
  readonly configure?: (command: Command) => Command;
  /** What to ask; the client checks it. It may look something up first. */
  readonly parameters: (
    words: readonly string[],
    options: Options,
    api: Client,
  ) => object | Promise<object>;
  readonly callOptions?: (options: Options) => RouteOptions;
  /** Items shown unless `--max` says otherwise; 1000 by default. */
  readonly most?: number;
}

interface ListOptions {
  readonly max?: number;
  readonly csv?: boolean;
}

/** Adds a command that makes one typed call; a list also gets `--csv`, and `--max` where it comes in pages. */
export function defineRemote<Options extends OptionValues>(
  parent: Command,
  run: (action: CommandAction) => Promise<void>,
  {
    words,
    description,
    id,
    configure,
    parameters,
    callOptions,
    most = DEFAULT_MAX,
  }: RemoteCommand<Options>,
): void {
  const route: Route = routes[id];
  const command = parent.command(words).description(description);
  configure?.(command);
  if (route.lists.length > 0) command.option('--csv', 'answer with CSV, for spreadsheets');
  if (route.pages !== null) {
    const byDefault = Number.isFinite(most) ? `${most}` : 'all';
    command.option('--max <n>', `at most so many; ${byDefault} by default`, readLimit);
  }
  command.action(() =>
    run((context) =>
      withClient(context, async ({ api }) => {
        const options = command.opts<Options>();
        const { max = most, csv } = command.opts<ListOptions>();
        const asked = await parameters(command.args, options, api);
        return callAndShow(context, api, {
          id,
          parameters: route.pages === null ? asked : { limit: Math.min(max, MAX_PAGE), ...asked },
          options: callOptions?.(options) ?? {},
          extent: max,
          csv,
        });
      }),
    ),
  );
}
