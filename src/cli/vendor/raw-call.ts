import type { Config } from '../../config/config.ts';
import { UsageError } from '../../platform/errors.ts';
import { displayText } from '../../text/sanitize.ts';
import {
  ApiError,
  isNestedTooDeep,
  type PlannedRequest,
  type RawAnswer,
  type RawOptions,
  rawPages,
  routes,
} from '../../vendor/client/index.ts';
import { type CommandContext, type ExitCode, exitCodes } from '../context.ts';
import type { Output } from '../output.ts';
import { complainOfCut } from './collect.ts';
import { readFields, readInput, type TypedField } from './column.ts';
import { headerLines, type ServiceAccess } from './with-client.ts';

type Account = NonNullable<Config['api']>;

/** Name of the variable unless the configuration sets one. */
const DEFAULT_VARIABLE = 'HOOKBELL_API_KEY';

/**
 * A request as a curl command for a POSIX shell. The credential is a variable because command lines are visible to every
 * process and kept in the shell's history.
 *
 * @throws UsageError when the address is not configured
 */
export function curlCommand(
  { method, path, query, body }: PlannedRequest,
  account: Account | null,
  { isApp }: { readonly isApp: boolean },
): string {
  const address = isApp ? account?.appUrl : account?.baseUrl;
  if (address === null || address === undefined) {
    throw new UsageError(
      `Cannot print the request: api.${isApp ? 'app_url' : 'base_url'} is not set`,
    );
  }
  const search = new URLSearchParams(query).toString();
  const url = `${address.replace(/\/+$/, '')}${path}${search === '' ? '' : `?${search}`}`;
  return [
    'curl',
    `--request ${method}`,
    `--header "Authorization: Bearer $${variableFor(path, account)}"`,
    ...(body === undefined
      ? []
      : [`--header 'Content-Type: application/json'`, `--data ${quoted(JSON.stringify(body))}`]),
    quoted(url),
  ].join(' \\\n  ');
}

/** The variable that the configuration reads the credential from, if any. */
function variableFor(path: string, account: Account | null): string {
  const isV0 = path.startsWith('/api/v0/');
  const reference = isV0 ? (account?.jwt ?? account?.key) : account?.key;
  if (typeof reference !== 'object' || reference === null || !('env' in reference)) {
    return DEFAULT_VARIABLE;
  }
  return /^[A-Za-z_]\w*$/.test(reference.env) ? reference.env : DEFAULT_VARIABLE;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** A call as typed. */
export interface RawCall {
  readonly method: string;
  /** May end in a query. */
  readonly path: string;
  readonly fields: readonly TypedField[];
  readonly input?: string;
  readonly paginate?: boolean;
  readonly include?: boolean;
  readonly curl?: boolean;
  readonly app?: boolean;
}

/** Makes a call of any method and path and prints the response, secrets hidden. */
export async function rawCall(
  { output }: Pick<CommandContext, 'output'>,
  { api, config: { api: account } }: ServiceAccess,
  options: RawCall,
): Promise<ExitCode> {
  const { method } = options;
  const { path, query, body } = requestOf(options);
  const isApp = options.app === true || path === readinessPath(account);
  if (options.curl === true) {
    output.line(curlCommand({ method, path, query, body }, account, { isApp }));
    return exitCodes.ok;
  }
  const rest: RawOptions = {
    query,
    ...(body !== undefined && { body }),
    address: isApp ? 'app' : 'base',
  };
  if (options.paginate !== true) {
    const answer = await answerOf(output, api.request(method, path, rest));
    if (options.include === true) printHead(output, answer);
    printBody(output, answer.body);
    return exitCodes.ok;
  }
  if (method !== 'GET') throw new UsageError(`Only GET has pages, not ${method}`);
  const items: unknown[] = [];
  let failure: ApiError | null = null;
  try {
    for await (const page of rawPages(api.request, path, rest)) {
      if (options.include === true) printHead(output, page.raw);
      items.push(...page.items);
    }
  } catch (error) {
    if (items.length === 0 || !(error instanceof ApiError)) throw error;
    failure = error;
  }
  output.json(items);
  if (failure === null) return exitCodes.ok;
  complainOfCut(output, items.length, failure);
  return exitCodes.partial;
}

/** Error responses are printed as well, because raw callers need them. */
async function answerOf(output: Output, call: Promise<RawAnswer>): Promise<RawAnswer> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ApiError && error.rawBody !== undefined && error.rawBody !== '') {
      output.line(displayText(error.rawBody));
    }
    throw error;
  }
}

/** Documented at `app_url`; its path is configurable. */
function readinessPath(account: ServiceAccess['config']['api']): string {
  return account?.readinessPath ?? routes['readiness.list'].path;
}

interface RawParts {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Fields are the query of a GET and the body of anything else; with `--input`, which is the body, they are the query. */
function requestOf({ method, path: typedPath, fields: typed, input }: RawCall): RawParts {
  const [path = '', search = ''] = typedPath.split(/\?(.*)/s);
  const fields = readFields(typed);
  const inPath = Object.fromEntries(new URLSearchParams(search));
  const isQuery = method === 'GET' || method === 'HEAD' || input !== undefined;
  const asQuery = Object.entries(fields).map(([name, value]) => [name, textOf(value)] as const);
  return {
    path,
    query: isQuery ? { ...inPath, ...Object.fromEntries(asQuery) } : inPath,
    body: input === undefined ? bodyOf(fields, isQuery) : readJson(input),
  };
}

function bodyOf(fields: object, isQuery: boolean): unknown {
  return isQuery || Object.keys(fields).length === 0 ? undefined : fields;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function readJson(place: string): unknown {
  const text = readInput(place);
  if (isNestedTooDeep(text)) throw new UsageError(`The content of "${place}" is nested too deep`);
  try {
    return JSON.parse(text);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new UsageError(`The content of "${place}" is not JSON`, { cause });
  }
}

function printHead(output: Output, { status, headers }: RawAnswer): void {
  output.line(`HTTP ${status}`);
  for (const line of headerLines(headers)) output.line(line);
  output.line();
}

function printBody(output: Output, body: unknown): void {
  if (body === null) return;
  if (typeof body === 'string') output.line(displayText(body));
  else output.json(body);
}
