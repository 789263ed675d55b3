import { resolve } from 'node:path';

import type { ListenView } from '../../core/relay-views.ts';
import { FailedError, UsageError } from '../../core/errors.ts';
import { displayLine } from '../../core/sanitize.ts';
import { addSection } from '../add-section.ts';
import type { CommandContext } from '../context.ts';
import type { DefineCommand } from '../define-command.ts';
import type { ExitCode } from '../exit-codes.ts';
import { exitCodes } from '../exit-codes.ts';
import { readPort } from '../option-values.ts';

interface Options {
  readonly port?: number;
  readonly host?: string;
  readonly certificate?: string;
  readonly key?: string;
}

/** `hookbell listen`: takes in what paired machines relay, from now on. */
export const defineListen: DefineCommand = (program, run) => {
  program
    .command('listen')
    .description('take in what paired machines relay, from now on, and show where')
    .option('--port <n>', 'on this port as well as on the socket', readPort)
    .option('--host <address>', 'with --port: any but loopback needs --certificate and --key')
    .option('--certificate <file>', 'with --port: PEM of the certificate')
    .option('--key <file>', 'with --port: PEM of its private key')
    .action((options: Options) => run((context) => listen(context, options)));
};

async function listen(context: CommandContext, options: Options): Promise<ExitCode> {
  const { ask, output, json, paths } = context;
  // Without a daemon nobody would notice what is written.
  await ask('GET /v1/status');
  const { certificate, key, ...same } = options;
  const section = {
    ...same,
    ...(certificate === undefined ? {} : { certificate: resolve(certificate) }),
    ...(key === undefined ? {} : { key: resolve(key) }),
  };
  const added = await addSection(context, 'listen', section);
  if (added === 'there' && Object.keys(section).length > 0) {
    throw new UsageError(`"${paths.config}" says already where to listen`, {
      hint: 'Edit "listen" there: the daemon notices',
    });
  }
  if (added === 'unfit') {
    throw new FailedError(`Cannot add "listen" to "${paths.config}"`, {
      hint: 'A host other than loopback needs --certificate and --key; "hookbell config check" says what else is wrong',
    });
  }
  await ask('POST /v1/reload');
  const { listen: view } = await ask('GET /v1/status');
  if (view === null) throw new FailedError('The daemon did not take the configuration');
  if (json) output.json(view);
  else printListening(context, view);
  return view.problem === null ? exitCodes.ok : exitCodes.failed;
}

function printListening({ output }: CommandContext, { addresses, problem, machines }: ListenView) {
  for (const address of addresses) output.line(displayLine(address));
  if (problem !== null) output.complain(`hookbell: Cannot listen: ${displayLine(problem)}`);
  const names = machines.map(({ name }) => name).join(', ');
  if (names === '') output.say('No machine is paired yet: run "hookbell pair NAME"');
  else output.say(`Paired: ${names}`);
}
