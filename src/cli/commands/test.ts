import { UsageError } from '../../platform/errors.ts';
import type { DefineCommand } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { allDelivered, printTests, testChannels } from '../test-channels.ts';

/** `hookbell test [CHANNEL…]`: a test notification that asks for nothing and passes by. */
export const defineTest: DefineCommand = (program, run) => {
  program
    .command('test')
    .argument('[channel...]', 'names of channels; the desktop unless given')
    .option('--all', 'every channel, other people read some of them')
    .description('show a test notification on the desktop, or through the channels named')
    .action((names: readonly string[], { all = false }: { readonly all?: boolean }) =>
      run(async (context) => {
        if (all && names.length > 0) throw new UsageError('Name channels, or say --all, not both');
        const tests = await testChannels(context, all ? 'all' : names);
        if (context.json) context.output.json(tests);
        else printTests(context.output, tests);
        return allDelivered(tests) ? exitCodes.ok : exitCodes.failed;
      }),
    );
};
