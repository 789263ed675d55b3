import {
  AmbiguousWriteError,
  ApiError,
  UsageError as ApiUsageError,
  AuthError,
  type Client,
  createClient,
  ForbiddenError,
  mayHaveHappened,
  type Middleware,
  MissingAddressError,
  MissingKeyError,
  NotFoundError,
  RateLimitError,
} from '../../vendor/client/index.ts';
import { apiAccount, checkProxies } from '../../config/api-account.ts';
import type { Config } from '../../config/config.ts';
import { secretReader } from '../../config/read-secret.ts';
import { durationText } from '../../text/duration.ts';
import { ConfigError, FailedError, type HookbellError, UsageError } from '../../platform/errors.ts';
import { isJsonObject } from '../../platform/json.ts';
import { displayLine, displayText } from '../../text/sanitize.ts';
import { createOutbound } from '../../platform/outbound/outbound.ts';
import type { CommandContext } from '../context.ts';
import { type ExitCode, exitCodes, ExitError } from '../exit-codes.ts';
import { requireConfig } from '../read-config.ts';

/** Tell who somebody is; `authorization` is added behind the middleware and never seen here. */
const PRIVATE_HEADERS = new Set(['authorization', 'cookie', 'set-cookie']);

/** Tells of each request and its answer; of a body only which fields it has and how large they are. */
function requestLog(tell: (line: string) => void, now = Date.now): Middleware {
  return async (url, init, next) => {
    tell(`> ${init.method} ${displayLine(url)}`);
    for (const line of headerLines(init.headers)) tell(`> ${line}`);
    if (init.body !== undefined) tell(`> body: ${bodyShape(init.body)}`);
    const startedAt = now();
    const response = await next(url, init);
    tell(`< ${response.status} after ${now() - startedAt} ms`);
    for (const line of headerLines(response.headers)) tell(`< ${line}`);
    return response;
  };
}

/** The headers as "name: value", without those that are nobody's business. */
export function headerLines(headers: Headers): readonly string[] {
  return [...headers]
    .filter(([name]) => !PRIVATE_HEADERS.has(name))
    .map(([name, value]) => `${name}: ${displayLine(value)}`);
}

function bodyShape(body: string): string {
  const value: unknown = JSON.parse(body);
  if (!isJsonObject(value)) return `${body.length} characters`;
  return Object.entries(value)
    .map(([name, field]) => `${name} (${JSON.stringify(field).length} characters)`)
    .join(', ');
}

export interface Remote {
  readonly api: Client;
  readonly config: Config;
}

/**
 * Runs what a command asks of the service. Its trouble becomes the error, hint and exit code of a command; with
 * `--verbose` every request is told of.
 */
export async function withClient(
  context: CommandContext,
  work: (remote: Remote) => Promise<ExitCode | void>,
): Promise<ExitCode | void> {
  const { output, paths, env } = context;
  const config = await requireConfig(paths.config);
  const outbound = createOutbound({ env, authorities: () => config.authorities });
  const account = apiAccount(config, secretReader(paths.config, env));
  checkProxies(account, outbound);
  const api = createClient({
    ...account,
    fetch: (url, init) => outbound.fetch(url, init),
    middleware: [requestLog((line) => output.detail(line))],
    onDrift: ({ route, kind, jsonPath }) =>
      output.detail(`* ${route} differs from the interface: ${kind} at ${jsonPath}`),
  });
  try {
    return await work({ api, config });
  } catch (error) {
    throw error instanceof ApiError ? commandError(error, paths.config) : error;
  } finally {
    // What is left open would keep the command from ending.
    await outbound.close();
  }
}

/** An error of the client as a command reports it, with its exit code. */
export function commandError(error: ApiError, configPath: string): HookbellError {
  // The service's words are in it: they are foreign, and may be an HTML page.
  const message = `${displayText(error.message)}${attemptsText(error)}`;
  const hint = error.hint ?? lostHint(error);
  const options = { ...(hint !== undefined && { hint }), cause: error };
  if (error instanceof MissingAddressError) {
    return new ConfigError(message, { hint: addressHint(configPath), cause: error });
  }
  if (error instanceof ApiUsageError) return new UsageError(message, options);
  if (error instanceof MissingKeyError) {
    const where = `It belongs into "api.key" of "${configPath}", as { env: NAME }, { file: PATH } or { command: [PROGRAM] }.`;
    return new ExitError(exitCodes.auth, message, {
      hint: `${error.hint ?? ''} ${where}`.trim(),
      cause: error,
    });
  }
  if (error instanceof AuthError || error instanceof ForbiddenError) {
    return new ExitError(exitCodes.auth, message, options);
  }
  if (error instanceof NotFoundError) return new ExitError(exitCodes.notFound, message, options);
  if (error instanceof RateLimitError) {
    return new ExitError(exitCodes.rateLimited, message, { hint: waitHint(error), cause: error });
  }
  if (error instanceof AmbiguousWriteError) {
    return new FailedError(message, { hint: ambiguityHint(error), cause: error });
  }
  return new FailedError(message, options);
}

/** A write whose answer is lost may have taken effect; a read may be repeated at will. */
function lostHint(error: ApiError): string | undefined {
  if (error.method === 'GET' || error.method === 'HEAD' || !mayHaveHappened(error))
    return undefined;
  return 'It may have taken effect all the same: look before you run the command again.';
}

function attemptsText({ attempts }: ApiError): string {
  return attempts > 1 ? ` (after ${attempts} attempts)` : '';
}

/** What to write where. */
export function addressHint(configPath: string): string {
  return `Add to "${configPath}": api: { base_url: ADDRESS, app_url: ADDRESS, key: { env: NAME } }`;
}

function waitHint({ retryAfterMs }: RateLimitError): string {
  return retryAfterMs === null
    ? 'The service does not say how long to wait: try again in a few minutes.'
    : `Try again in ${durationText(retryAfterMs)}.`;
}

function ambiguityHint({ outcome }: AmbiguousWriteError): string {
  return outcome === 'not-delivered'
    ? 'It was not sent a second time. Run the command again if you still want it.'
    : 'The outcome is unknown, so it was not sent a second time: look before you run the command again.';
}
