import type { Command } from 'commander';

import {
  namesInPath,
  openApiDocument,
  planRequest,
  type Route,
  routes,
} from '../../../vendor/client/index.ts';
import type { CommandContext, DefineCommand, Run } from '../../context.ts';
import { readLimit } from '../../option-values.ts';
import { callAndShow } from '../collect.ts';
import type { TypedField } from '../column.ts';
import { DEFAULT_MAX, parametersOf, readParameters } from '../define-remote.ts';
import { curlCommand, rawCall, type RawCallOptions } from '../raw-call.ts';
import { withService } from '../with-client.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

interface RouteOptions {
  readonly paginate?: boolean;
  readonly max: number;
  readonly csv?: boolean;
  readonly curl?: boolean;
}

/** `hookbell service api`: the whole HTTP interface, typed by the route table or raw. */
export const defineApi: DefineCommand = (program, run) => {
  const api = program
    .command('api')
    .description('call any route of the HTTP API: METHOD PATH, or ROUTE');
  api.command('ls').description('list the routes').action(run(listRoutes));
  api
    .command('openapi')
    .description("print hookbell's reading of the interface as OpenAPI 3.1")
    .action(run(async ({ output, version }) => output.json(openApiDocument(version))));
  for (const method of METHODS) defineRaw(api, run, method);
  for (const route of Object.values(routes)) defineRoute(api, run, route);
};

function defineRaw(api: Command, run: Run, method: string): void {
  // Both kinds of fields in the order typed, because they may fill the same list.
  const fields: TypedField[] = [];
  api
    .command(`${method} <path>`)
    .alias(method.toLowerCase())
    .description(`send a raw ${method} request and print the response, secrets hidden`)
    .option(
      '-f, --field <key=value>',
      'add a string: query of a GET, else body; nest with key[sub] and key[]',
      (text) => fields.push({ text, isTyped: false }),
    )
    .option(
      '-F, --typed-field <key=value>',
      'add JSON, or the content of @FILE (@- is standard input)',
      (text) => fields.push({ text, isTyped: true }),
    )
    .option('--input <file>', 'read a JSON body from a file; "-" is standard input')
    .option('--paginate', 'fetch all pages and print their items as one array')
    .option('-i, --include', 'include status and headers in the output')
    .option('--app', 'send it to app_url instead of base_url')
    .option('--curl', 'print a curl command instead of sending, the key as a variable')
    .action(
      run(
        withService((context, service, path: string, options: RawCallOptions) =>
          rawCall(context, service, { ...options, method, path, fields }),
        ),
      ),
    );
}

function defineRoute(api: Command, run: Run, route: (typeof routes)[keyof typeof routes]): void {
  const { id, summary, method, path, family, lists, pages } = route;
  const parameters = parametersOf(route);
  const command = api.command(id).description(`${summary}: ${method} ${path}`);
  for (const { name, type, isRequired, description } of parameters) {
    const flags = `--${name} <${type}>`;
    if (isRequired) command.requiredOption(flags, description);
    else command.option(flags, description);
  }
  if (lists.length > 0) command.option('--csv', 'print CSV, for spreadsheets');
  if (pages !== null) {
    command
      .option('--paginate', 'fetch all pages')
      .option('--max <n>', 'with --paginate, maximum number of items', readLimit, DEFAULT_MAX);
  }
  command.option('--curl', 'print a curl command instead of sending, the key as a variable');
  const call = withService(async (context, { api: client, config }, options: RouteOptions) => {
    const { paginate, max, csv, curl } = options;
    const { api: account } = config;
    const given = readParameters(parameters, { ...options });
    if (curl === true) {
      const readinessPath = account?.readinessPath ?? undefined;
      const planned = planRequest(id, given, { readinessPath });
      return context.output.line(curlCommand(planned, account, family === 'readiness'));
    }
    const extent = paginate === true ? max : 'page';
    return callAndShow(context, client, { route, parameters: given, extent, csv });
  });
  command.action(run(call));
}

async function listRoutes({ output, json }: CommandContext): Promise<void> {
  const all = Object.values<Route>(routes);
  if (json) return output.json(all.map(describeRoute));
  output.table(
    ['ROUTE', 'METHOD', 'PATH', 'WHAT'],
    all.map(({ id, method, path, summary }) => [id, method, path, summary]),
  );
}

function describeRoute(route: Route): object {
  const { id, summary, method, path, family, status, pages, retry } = route;
  const inPath = new Set(namesInPath(path));
  return {
    id,
    summary,
    method,
    path,
    address: family === 'readiness' ? 'app_url' : 'base_url',
    status,
    paginated: pages !== null,
    retry,
    parameters: parametersOf(route).map(({ name, type, isRequired, description }) => ({
      name,
      in: inPath.has(name) ? 'path' : method === 'GET' ? 'query' : 'body',
      type,
      required: isRequired,
      description,
    })),
  };
}
