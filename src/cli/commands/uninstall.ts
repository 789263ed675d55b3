import type { Command } from 'commander';

import { displayLine } from '../../core/sanitize.ts';
import { runStep } from '../../setup/run-steps.ts';
import { uninstall } from '../../setup/uninstall.ts';
import { stopDaemon } from '../daemon-process.ts';
import type { Output } from '../output.ts';
import type { DefineCommand } from '../define-command.ts';
import { installPlaces, installedService } from '../install-places.ts';

function printStep(output: Output, name: string, text: string): void {
  output.line(`${name.padEnd(8)} ${displayLine(text)}`);
}

/** `hookbell uninstall`: undoes the installation; what hookbell remembers is kept unless `--purge`. */
export const defineUninstall: DefineCommand = (program, run) => {
  const command: Command = program
    .command('uninstall')
    .description('remove the hooks, the daemon and the program')
    .option('--purge', 'also remove the configuration and everything remembered')
    .option('--dry-run', 'say what would be done, and do nothing')
    .option('--yes', 'ask nothing')
    .action(() =>
      run(async (context) => {
        const options = command.opts<{ readonly purge?: boolean; readonly dryRun?: boolean }>();
        const dryRun = options.dryRun ?? false;
        const steps = await uninstall(
          {
            service: installedService(context),
            purge: options.purge ?? false,
            dryRun,
            stopDaemon: async () => void (await stopDaemon(context)),
          },
          installPlaces(context),
          runStep,
        );
        if (context.json) {
          context.output.json({ dryRun, steps });
          return;
        }
        if (dryRun) context.output.line('This is what would be done:');
        for (const { name, text } of steps) printStep(context.output, name, text);
        if (steps.length === 0) context.output.say('Nothing of hookbell is installed here');
      }),
    );
};
