import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';

import { Command } from 'commander';

import {
  type CommandContext,
  type DefineCommand,
  type ExitCode,
  exitCodeOf,
  exitCodes,
} from '../../src/cli/context.ts';
import { createOutput } from '../../src/cli/output.ts';
import { resolvePaths } from '../../src/core/paths.ts';
import { DaemonUnreachableError, HookbellError } from '../../src/platform/errors.ts';
import { type HttpEndpoint, openHttpEndpoint } from './http-endpoint.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** A command of `hookbell service` in this process, configured for an endpoint that plays scripted answers. */
export interface ServiceCommand extends AsyncDisposable {
  /** Both addresses of the service. */
  readonly service: HttpEndpoint;
  readonly home: string;
  /** Runs the command with these words; an error that people may see ends on standard error. */
  run(words: readonly string[], options?: RunOptions): Promise<Ran>;
}

interface RunOptions {
  readonly json?: boolean;
  readonly verbose?: boolean;
  /** What the daemon returns; it is not running by default. */
  readonly ask?: CommandContext['ask'];
}

interface Ran {
  readonly code: ExitCode;
  readonly stdout: string;
  readonly stderr: string;
}

/** @param config the whole configuration; by default just the addresses and the key of the service, and `more` */
export async function serviceCommand(
  define: DefineCommand,
  { config, more = '' }: { readonly config?: string; readonly more?: string } = {},
): Promise<ServiceCommand> {
  const service = await openHttpEndpoint();
  const directory = await temporaryDirectory();
  const home = directory.path;
  const env = {
    HOME: home,
    HOOKBELL_STATE_DIR: join(home, 's'),
    SERVICE_KEY: 'key-for-tests-1234',
  };
  const paths = resolvePaths(env, process.platform, home);
  const usual = `api: { base_url: ${service.url}, app_url: ${service.url}, key: { env: SERVICE_KEY } }\n${more}\n`;
  await mkdir(dirname(paths.config), { recursive: true });
  await writeFile(paths.config, config ?? usual);

  return {
    service,
    home,
    async run(words, { json = false, verbose = false, ask = noDaemon } = {}) {
      const stdout = new PassThrough({ encoding: 'utf8' });
      const stderr = new PassThrough({ encoding: 'utf8' });
      const output = createOutput({ stdout, stderr, quiet: false, verbose });
      let code: ExitCode = exitCodes.ok;
      const program = new Command('hookbell').exitOverride();
      define(program, (action) => async (...given) => {
        const context = { output, paths, env, version: '0.0.0', json, verbose, ask };
        code = (await action(context, ...given)) ?? exitCodes.ok;
      });
      try {
        await program.parseAsync(words, { from: 'user' });
      } catch (error) {
        if (!(error instanceof HookbellError)) throw error;
        code = exitCodeOf(error);
        output.complain([error.message, error.hint ?? ''].join('\n'));
      }
      return { code, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') };
    },
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

function noDaemon(): Promise<never> {
  return Promise.reject(new DaemonUnreachableError('Cannot reach the daemon'));
}
