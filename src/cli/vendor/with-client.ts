import { apiAccount, checkProxies } from '../../config/api-schema.ts';
import type { Config } from '../../config/config.ts';
import { secretReader } from '../../config/secrets.ts';
import { ConfigError, FailedError, type HookbellError, UsageError } from '../../platform/errors.ts';
import { isJsonObject } from '../../platform/json.ts';
import { createOutbound } from '../../platform/outbound/outbound.ts';
import { durationText } from '../../text/duration.ts';
import { displayLine, displayText } from '../../text/sanitize.ts';
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
import { type CommandContext, type ExitCode, exitCodes, ExitError } from '../context.ts';
import { requireConfig } from '../read-config.ts';

/** Headers that identify a person; `authorization` is added after the middleware and never visible here. */
const PRIVATE_HEADERS = new Set(['authorization', 'cookie', 'set-cookie']);

/** Logs each request and response; of a body only the names and sizes of its fields. */
function requestLog(writeLine: (line: string) => void): Middleware {
  return async (url, init, next) => {
    writeLine(`> ${init.method} ${displayLine(url)}`);
    for (const line of headerLines(init.headers)) writeLine(`> ${line}`);
    if (init.body !== undefined) writeLine(`> body: ${bodyShape(init.body)}`);
    const startedAt = Date.now();
    const response = await next(url, init);
    writeLine(`< ${response.status} after ${Date.now() - startedAt} ms`);
    for (const line of headerLines(response.headers)) writeLine(`< ${line}`);
    return response;
  };
}

/** The headers as "name: value", without the private ones. */
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

export interface ServiceAccess {
  readonly api: Client;
  readonly config: Config;
}

/**
 * Runs the service calls of a command. Client errors become the error, hint and exit code of the command; with
 * `--verbose` every request is logged.
 */
export async function withClient<Result>(
  context: CommandContext,
  work: (service: ServiceAccess) => Promise<Result>,
): Promise<Result> {
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
    // Open connections would keep the command running.
    await outbound.close();
  }
}

/** Makes an action of service calls. */
export function withService<Words extends unknown[]>(
  work: (
    context: CommandContext,
    service: ServiceAccess,
    ...words: Words
  ) => Promise<ExitCode | void>,
) {
  return (context: CommandContext, ...words: Words): Promise<ExitCode | void> =>
    withClient(context, (service) => work(context, service, ...words));
}

/** Maps a client error to a command error with its exit code. */
export function commandError(error: ApiError, configPath: string): HookbellError {
  const attempts = error.attempts > 1 ? ` (after ${error.attempts} attempts)` : '';
  // The message includes untrusted text of the service, possibly an HTML page.
  const message = displayText(error.message) + attempts;
  const hint = lostHint(error) ?? error.hint;
  const options = { ...(hint !== undefined && { hint }), cause: error };
  if (error instanceof MissingAddressError) {
    return new ConfigError(message, { hint: addressHint(configPath), cause: error });
  }
  if (error instanceof ApiUsageError) return new UsageError(message, options);
  if (error instanceof MissingKeyError) {
    const where = `Set "api.key" in "${configPath}" to { env: NAME }, { file: PATH } or { command: [PROGRAM] }.`;
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

/** A write with a lost response may have taken effect; reads can be repeated. */
function lostHint(error: ApiError): string | undefined {
  const isRead = error.method === 'GET' || error.method === 'HEAD';
  if (isRead || !mayHaveHappened(error)) return undefined;
  return 'It may have taken effect: check before you run the command again.';
}

/** The missing configuration. */
export function addressHint(configPath: string): string {
  return `Add to "${configPath}": api: { base_url: ADDRESS, app_url: ADDRESS, key: { env: NAME } }`;
}

function waitHint({ retryAfterMs }: RateLimitError): string {
  return retryAfterMs === null
    ? 'The service did not return a retry time: try again in a few minutes.'
    : `Try again in ${durationText(retryAfterMs)}.`;
}

function ambiguityHint({ outcome }: AmbiguousWriteError): string {
  return outcome === 'not-delivered'
    ? 'It was not resent. Run the command again if you still want it.'
    : 'The outcome is unknown, so it was not resent: check before you run the command again.';
}
