import { resolve } from 'node:path';

import type { ListenView } from '../../control/contract-views.ts';
import { FailedError, UsageError } from '../../platform/errors.ts';
import { displayLine } from '../../text/sanitize.ts';
import { type CommandContext, type DefineCommand, type ExitCode, exitCodes } from '../context.ts';
import { readPort } from '../option-values.ts';
import { listPairedMachines, pairMachine, revokePairedMachine } from '../pair-machine.ts';
import { addPairingSection, pairWithHome } from '../pair-with-home.ts';

interface ListenOptions {
  readonly port?: number;
  readonly host?: string;
  readonly certificate?: string;
  readonly key?: string;
}

/** `hookbell remote pair|list|revoke|listen`: pairs machines that send events to each other. */
export const defineRemoteMachines: DefineCommand = (program, run) => {
  const remote = program
    .command('remote')
    .description('pair machines, so that one notifies you about agents on the other');
  remote
    .command('pair')
    .argument('[machine]', 'name of the machine that sends its events to this one')
    .description('pair with a machine: NAME on the receiving side, --to on the sending side')
    .option('--to <address>', 'send events there (https://HOST:PORT, or a socket), with its token')
    .option('--certificate <file>', 'with --to: the certificate of the other side, as PEM')
    .action(run(pair));
  remote
    .command('list')
    .description('list the machines that may send events to this one')
    .action(run(listPairedMachines));
  remote
    .command('revoke')
    .argument('<machine>', 'name of the machine')
    .description('revoke the token of a machine')
    .action(run(revokePairedMachine));
  remote
    .command('listen')
    .description('accept events from paired machines, and show the addresses')
    .option('--port <n>', 'also listen on this port', readPort)
    .option('--host <address>', 'with --port: any host but loopback needs --certificate and --key')
    .option('--certificate <file>', 'with --port: PEM of the certificate')
    .option('--key <file>', 'with --port: PEM of its private key')
    .action(run(listen));
};

/** @throws UsageError unless either a name or an address is given */
function pair(
  context: CommandContext,
  machine: string | undefined,
  { to, certificate }: { readonly to?: string; readonly certificate?: string },
): Promise<ExitCode | void> {
  if (to !== undefined && machine === undefined) return pairWithHome(context, to, certificate);
  const hint =
    'Run "hookbell remote pair NAME" at home, and "hookbell remote pair --to ADDRESS" elsewhere';
  if (to !== undefined || certificate !== undefined) {
    throw new UsageError('The token names the machine: --to takes no name', { hint });
  }
  if (machine !== undefined) return pairMachine(context, machine);
  throw new UsageError('A machine name or --to is missing', { hint });
}

async function listen(context: CommandContext, options: ListenOptions): Promise<ExitCode> {
  const { ask, output, json, paths } = context;
  // Without a daemon the change would have no effect.
  await ask('GET /v1/status');
  const { certificate, key, ...same } = options;
  const section = {
    ...same,
    ...(certificate === undefined ? {} : { certificate: resolve(certificate) }),
    ...(key === undefined ? {} : { key: resolve(key) }),
  };
  const added = await addPairingSection(context, 'listen', section);
  if (added === 'there' && Object.keys(section).length > 0) {
    throw new UsageError(`"${paths.config}" already has a "listen" section`, {
      hint: 'Edit it there: the daemon reloads the file',
    });
  }
  if (added === 'unfit') {
    throw new FailedError(`Cannot add "listen" to "${paths.config}"`, {
      hint: 'A host other than loopback needs --certificate and --key; "hookbell config check" says what else is wrong',
    });
  }
  await ask('POST /v1/reload');
  const { listen: view } = await ask('GET /v1/status');
  if (view === null) throw new FailedError('The daemon rejected the configuration');
  if (json) output.json(view);
  else printListening(context, view);
  return view.problem === null ? exitCodes.ok : exitCodes.failed;
}

function printListening({ output }: CommandContext, { addresses, problem, machines }: ListenView) {
  for (const address of addresses) output.line(displayLine(address));
  if (problem !== null) output.complain(`hookbell: Cannot listen: ${displayLine(problem)}`);
  const names = machines.map(({ name }) => name).join(', ');
  if (names === '') output.say('No machine is paired yet: run "hookbell remote pair NAME"');
  else output.say(`Paired: ${names}`);
}
