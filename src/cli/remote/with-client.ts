import { ApiError, createClient } from '../../api/index.ts';
import type { Client } from '../../api/index.ts';
import type { Config } from '../../config/config.ts';
import { apiAccount, checkProxies } from '../../config/api-account.ts';
import { secretReader } from '../../config/read-secret.ts';
import { createOutbound } from '../../outbound/outbound.ts';
import type { CommandContext } from '../context.ts';
import type { ExitCode } from '../exit-codes.ts';
import { requireConfig } from '../read-config.ts';
import { commandError } from './command-error.ts';
import { requestLog } from './request-log.ts';

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
