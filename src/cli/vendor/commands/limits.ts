import type { Command } from 'commander';

import type { DefineCommand } from '../../context.ts';
import { planLimits } from '../plan-limits.ts';
import { applyLimits, setGivenLimits } from '../send-limits.ts';
import { withService } from '../with-client.ts';

/** `hookbell service limits`: credit limits of users. */
export const defineLimits: DefineCommand = (program, run) => {
  const limits = program.command('limits').description('plan and set credit limits of users');
  withWriteOptions(limits.command('set <email=credits...>'))
    .description('set limits; exit with 8 unless all are set as requested')
    .action(run(withService(setGivenLimits)));
  limits
    .command('plan <file.csv>')
    .description(
      'compare a file of limits with the directory and four weeks of usage; send nothing',
    )
    .action(run(withService(planLimits)));
  const apply = limits
    .command('apply <file.csv>')
    .description(
      'set the limits in a file (columns email, limit); exit with 8 unless all are set as requested',
    )
    .option('--only-failed <report>', 'skip rows that an earlier report lists as updated')
    .option('--report <file>', 'write the report to this file; FILE.report.csv by default');
  withWriteOptions(apply).action(run(withService(applyLimits)));
};

function withWriteOptions(command: Command): Command {
  return command
    .option('--dry-run', 'show old and new limits, send nothing')
    .option('--csv', 'print CSV, for spreadsheets')
    .option(
      '--allow-null',
      'accept "null", which removes a limit at some services; the interface documents a number',
    );
}
