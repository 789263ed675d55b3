import type { Config } from '../../config/config.ts';
import { UsageError } from '../../platform/errors.ts';
import { displayText } from '../../text/sanitize.ts';
import {
  ApiError,
  isNestedTooDeep,
  type PlannedRequest,
  type RawAnswer,
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
  isApp: boolean,
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

export interface RawCallOptions {
  readonly input?: string;
  readonly paginate?: boolean;
  readonly include?: boolean;
  readonly curl?: boolean;
  readonly app?: boolean;
}

/** A call as typed. */
interface RawCall extends RawCallOptions {
  readonly method: string;
  /** May end in a query. */
  readonly path: string;
  readonly fields: readonly TypedField[];
}

/** Makes a call of any method and path and prints the response, secrets hidden. */
export async function rawCall(
  { output }: CommandContext,
  { api, config: { api: account } }: ServiceAccess,
  options: RawCall,
): Promise<ExitCode> {
  const { method } = options;
  const { path, query, body } = requestOf(options);
  // Documented at `app_url`; its path is configurable.
  const readinessPath = account?.readinessPath ?? routes['readiness.list'].path;
  const isApp = options.app === true || path === readinessPath;
  if (options.curl === true) {
    output.line(curlCommand({ method, path, query, body }, account, isApp));
    return exitCodes.ok;
  }
  const address = isApp ? ('app' as const) : ('base' as const);
  const rest = { query, ...(body !== undefined && { body }), address };
  if (options.paginate !== true) {
    const answer = await answerOf(output, api.request(method, path, rest));
    const { body: answered } = answer;
    if (options.include === true) printHead(output, answer);
    if (typeof answered === 'string') output.line(displayText(answered));
    else if (answered !== null) output.json(answered);
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

/** Fields are the query of a GET and the body of anything else; with `--input`, which is the body, they are the query. */
function requestOf({ method, path: typedPath, fields: typed, input }: RawCall) {
  const [path = '', search = ''] = typedPath.split(/\?(.*)/s);
  const fields = readFields(typed);
  const inPath = Object.fromEntries(new URLSearchParams(search));
  const isQuery = method === 'GET' || method === 'HEAD' || input !== undefined;
  const asQuery = Object.entries(fields).map(([name, value]) => {
    return [name, typeof value === 'string' ? value : JSON.stringify(value)] as const;
  });
  const body = isQuery || Object.keys(fields).length === 0 ? undefined : fields;
  return {
    path,
    query: isQuery ? { ...inPath, ...Object.fromEntries(asQuery) } : inPath,
    body: input === undefined ? body : readJson(input),
  };
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
