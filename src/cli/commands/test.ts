import { UsageError } from '../../platform/errors.ts';
import { type DefineCommand, exitCodes } from '../context.ts';
import { allDelivered, printTests, testChannels } from '../test-channels.ts';

/** `hookbell test [CHANNEL…]`: sends a test notification that needs no reaction. */
export const defineTest: DefineCommand = (program, run) => {
  program
    .command('test')
    .argument('[channel...]', 'channel names (default: the desktop)')
    .option('--all', 'all channels, including those that other people read')
    .description('send a test notification to the desktop, or through the named channels')
    .action((names: readonly string[], { all = false }: { readonly all?: boolean }) =>
      run(async (context) => {
        if (all && names.length > 0) throw new UsageError('Specify channels or --all, not both');
        const tests = await testChannels(context, all ? 'all' : names);
        if (context.json) context.output.json(tests);
        else printTests(context.output, tests);
        return allDelivered(tests) ? exitCodes.ok : exitCodes.failed;
      }),
    );
};
