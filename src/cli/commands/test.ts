import type { DefineCommand } from '../define-command.ts';
import { exitCodes } from '../exit-codes.ts';
import { allDelivered, printTests, testChannels } from '../test-channels.ts';

/** `hookbell test [CHANNEL…]`: a real notification through each channel. */
export const defineTest: DefineCommand = (program, run) => {
  program
    .command('test')
    .argument('[channel...]', 'names of channels; all of them unless given')
    .description('send a real notification through each channel and see what comes of it')
    .action((channels: readonly string[]) =>
      run(async (context) => {
        const tests = await testChannels(context, channels);
        if (context.json) context.output.json(tests);
        else printTests(context.output, tests);
        return allDelivered(tests) ? exitCodes.ok : exitCodes.failed;
      }),
    );
};
