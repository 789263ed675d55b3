import type { Mock, MockOptions } from './reference-service/reference-server.ts';
import { startMock } from './reference-service/reference-server.ts';
import type { KeyName } from './reference-service/keys.ts';
import type { CommandLine } from './command-line.ts';
import { commandLine } from './command-line.ts';
import type { Finished } from './run-process.ts';

/** The command line and a reference service it is configured for. */
export interface RemoteCommandLine extends AsyncDisposable {
  readonly mock: Mock;
  readonly cli: CommandLine;
  /** Runs a command; no output may hold any key of the service. */
  run(words: readonly string[], options?: RunOptions): Promise<Finished>;
  /** Must succeed; returns the JSON it prints. */
  json(words: readonly string[]): Promise<unknown>;
}

interface RunOptions {
  /** Whose key; the owner's by default. */
  readonly key?: KeyName;
  readonly input?: string;
}

/** The variable the configuration names. */
export const KEY_VARIABLE = 'SERVICE_KEY';

export async function remoteCommandLine(
  options: Omit<MockOptions, 'now'> & { readonly api?: string; readonly config?: string } = {},
): Promise<RemoteCommandLine> {
  const { api = '', config = '', ...rest } = options;
  const mock = await startMock({ ...rest, now: Date.now });
  const cli = await commandLine();
  const extra = api === '' ? '' : `, ${api}`;
  await cli.write(
    '.config/hookbell/config.yaml',
    `api: { base_url: ${mock.baseUrl}, app_url: ${mock.appUrl}, key: { env: ${KEY_VARIABLE} }${extra} }\n${config}\n`,
  );
  const run: RemoteCommandLine['run'] = async (words, { key = 'owner', ...more } = {}) => {
    const finished = await cli.run(words, { env: { [KEY_VARIABLE]: mock.keys[key] }, ...more });
    for (const [name, secret] of Object.entries(mock.keys)) {
      if (`${finished.stdout}${finished.stderr}`.includes(secret)) {
        throw new Error(`"hookbell ${words.join(' ')}" shows the key ${name}`);
      }
    }
    return finished;
  };
  return {
    mock,
    cli,
    run,
    async json(words) {
      const { code, stdout, stderr } = await run([...words, '--json']);
      if (code !== 0) throw new Error(`"${words.join(' ')}" ended with ${code}: ${stderr}`);
      return JSON.parse(stdout);
    },
    async [Symbol.asyncDispose]() {
      await cli[Symbol.asyncDispose]();
      await mock.close();
    },
  };
}
