import { UsageError } from '../../core/errors.ts';
import type { DefineCommand } from '../define-command.ts';
import { listMachines, pairMachine, revokeMachine } from '../pair-machine.ts';
import { pairWithHome } from '../pair-with-home.ts';

interface Options {
  readonly to?: string;
  readonly certificate?: string;
}

/** `hookbell pair NAME|--to ADDRESS|list|revoke NAME`: which machines may relay to which. */
export const definePair: DefineCommand = (program, run) => {
  const pair = program
    .command('pair')
    .argument('[machine]', 'a name for the machine that is to relay to this one')
    .description('let another machine hand its events in here, or this one hand them in elsewhere')
    .option('--to <address>', 'relay to there (https://HOST:PORT, or a socket), with its token')
    .option('--certificate <file>', 'with --to: the certificate of the other side, as PEM')
    .action((machine: string | undefined, { to, certificate }: Options) =>
      run(async (context) => {
        if (to !== undefined && machine === undefined) {
          return pairWithHome(context, {
            to,
            ...(certificate === undefined ? {} : { certificate }),
          });
        }
        if (to !== undefined || certificate !== undefined) {
          throw new UsageError('The token says which machine it is: --to takes no name', {
            hint: 'Run "hookbell pair NAME" at home, and "hookbell pair --to ADDRESS" elsewhere',
          });
        }
        if (machine !== undefined) return pairMachine(context, machine);
        throw new UsageError('There is no name of a machine, and no --to', {
          hint: 'Run "hookbell pair NAME" at home, and "hookbell pair --to ADDRESS" elsewhere',
        });
      }),
    );
  pair
    .command('list')
    .description('show the machines that may hand in events here')
    .action(() => run(listMachines));
  pair
    .command('revoke')
    .argument('<machine>', 'its name')
    .description('take its token back')
    .action((machine: string) => run((context) => revokeMachine(context, machine)));
};
