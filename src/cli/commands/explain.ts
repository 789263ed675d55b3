import type { DefineCommand } from '../define-command.ts';
import { printEvent, printPayload } from '../print-event.ts';

/** `hookbell explain [ID|last]`: why was I (not) told? */
export const defineExplain: DefineCommand = (program, run) => {
  program
    .command('explain')
    .argument('[id]', 'id of an event or the beginning of one, or "last"', 'last')
    .description('show the whole way of an event; with --verbose also its payload')
    .action((id: string) =>
      run(async ({ output, json, verbose, ask }) => {
        const event = await ask('GET /v1/events', { part: id });
        if (json) {
          output.json(event);
          return;
        }
        printEvent(output, event, Date.now());
        if (verbose) printPayload(output, event);
      }),
    );
};
