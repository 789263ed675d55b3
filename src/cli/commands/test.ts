import type { DefineCommand } from '../define-command.ts';
import { exitCodes } from '../exit-codes.ts';
import { readHookCall } from '../hook-call.ts';

/** Longer than the daemon gives the slowest channel. */
const PATIENCE_MS = 660_000;

/** `hookbell test [CHANNEL…]`: a real notification through each channel. */
export const defineTest: DefineCommand = (program, run) => {
  program
    .command('test')
    .argument('[channel...]', 'names of channels; all of them unless given')
    .description('send a real notification through each channel and see what comes of it')
    .action((channels: readonly string[]) =>
      run(async ({ output, json, ask }) => {
        const tests = await ask('POST /v1/test', {
          body: { facts: readHookCall([]).facts, ...(channels.length > 0 && { channels }) },
          timeoutMs: PATIENCE_MS,
        });
        if (json) {
          output.json(tests);
        } else {
          output.table(
            ['CHANNEL', 'TYPE', 'OUTCOME', 'TOOK', 'REMARK'],
            tests.map(({ channel, type, outcome, durationMs, reason, clickAcknowledges }) => [
              channel,
              type,
              outcome,
              `${durationMs} ms`,
              reason ?? (clickAcknowledges ? 'a click says "seen"' : ''),
            ]),
          );
        }
        const delivered = tests.every(({ outcome }) => outcome === 'delivered');
        return delivered ? exitCodes.ok : exitCodes.failed;
      }),
    );
};
