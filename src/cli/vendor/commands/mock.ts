import { Option } from 'commander';

import { FailedError } from '../../../platform/errors.ts';
import {
  isScenarioName,
  SCENARIO_NAMES,
  scenarioText,
} from '../../../vendor/reference-service/scenarios.ts';
import { type Mock, startMock } from '../../../vendor/reference-service/reference-server.ts';
import type { CommandContext, DefineCommand } from '../../context.ts';
import { readPort, readWholeNumber, readWord } from '../../option-values.ts';
import { aborted, withInterrupt } from '../../refresh-loop.ts';

interface ServeOptions {
  readonly seed: number;
  readonly scenario?: string;
  readonly port: number;
  readonly appPort: number;
  readonly control?: boolean;
}

/** `hookbell service mock`: the reference service of the vendor's interface, on this machine only. */
export const defineMock: DefineCommand = (program, run) => {
  const mock = program
    .command('mock')
    .description('serve a mock of the HTTP API with made-up data');

  const serve = mock
    .command('serve', { isDefault: true })
    .description('serve it on loopback until Ctrl-C')
    .addOption(
      new Option('--seed <number>', 'seed of the data; the same seed gives the same data')
        .argParser(readWholeNumber)
        .default(7),
    )
    .addOption(
      new Option(
        '--scenario <name>',
        `scenario to simulate: ${SCENARIO_NAMES.join(', ')}`,
      ).argParser(readWord(SCENARIO_NAMES)),
    )
    .addOption(
      new Option('--port <number>', 'port of base_url; 0 picks a free port')
        .argParser(readPort)
        .default(0),
    )
    .addOption(
      new Option('--app-port <number>', 'port of app_url; 0 picks a free port')
        .argParser(readPort)
        .default(0),
    )
    .option('--control', 'let programs on this machine change data, clock and faults at /__ref/')
    .action(() => run((context) => serveMock(context, serve.opts<ServeOptions>())));

  mock
    .command('scenarios')
    .description('list the values of --scenario')
    .action(() =>
      run(({ output, json }) => {
        const scenarios = SCENARIO_NAMES.map((name) => ({ name, what: scenarioText(name) }));
        if (json) output.json(scenarios);
        else
          output.table(
            ['SCENARIO', 'DESCRIPTION'],
            scenarios.map(({ name, what }) => [name, what]),
          );
        return Promise.resolve();
      }),
    );
};

async function serveMock(context: CommandContext, options: ServeOptions): Promise<void> {
  const { seed, scenario, control = false } = options;
  await withInterrupt(async (interrupted) => {
    await using mock = await start(options);
    if (isScenarioName(scenario)) mock.scenario(scenario);
    if (context.json) {
      const { baseUrl, appUrl, keys } = mock;
      context.output.json({ baseUrl, appUrl, keys, seed, scenario: scenario ?? null, control });
    } else {
      print(context, mock, options);
    }
    await aborted(interrupted);
  });
}

async function start({ seed, port, appPort, control = false }: ServeOptions): Promise<Mock> {
  const ports = { base: port, app: appPort };
  try {
    return await startMock({ seed, now: Date.now, control, ports });
  } catch (error) {
    throw portTrouble(error) ?? error;
  }
}

/** The error for an unavailable port; null for anything else, which is a bug. */
function portTrouble(error: unknown): FailedError | null {
  if (!(error instanceof Error) || !('code' in error) || !('port' in error)) return null;
  const reason = { EADDRINUSE: 'it is in use', EACCES: 'permission denied' }[String(error.code)];
  if (reason === undefined) return null;
  return new FailedError(`Cannot listen on port ${String(error.port)}: ${reason}`, {
    hint: 'Choose another one with --port or --app-port, or omit it for a free port',
    cause: error,
  });
}

/** Prints a configuration to copy on stdout, and notes for people on stderr. */
function print({ output }: CommandContext, { baseUrl, appUrl, keys }: Mock, options: ServeOptions) {
  output.say(`The reference service runs with seed ${options.seed}; press Ctrl-C to stop`);
  output.say('For the configuration:');
  output.line('api:');
  output.line(`  base_url: ${baseUrl}`);
  output.line(`  app_url: ${appUrl}`);
  output.line(`  key: ${keys.owner} # of the owner`);
  output.say('Other keys, to see how the service refuses them:');
  for (const [name, key] of Object.entries(keys)) {
    if (name !== 'owner') output.say(`  ${name.padEnd(8)} ${key}`);
  }
  if (options.control === true) output.say(`Control: ${baseUrl}/__ref/`);
}
