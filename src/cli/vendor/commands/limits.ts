import type { Command } from 'commander';

import type { CommandContext, DefineCommand } from '../../context.ts';
import {
  applyLimits,
  type ApplyOptions,
  type LimitService,
  setGivenLimits,
  type SetOptions,
} from '../send-limits.ts';
import { knownLimits } from '../limit-report.ts';
import { planLimits } from '../plan-limits.ts';
import { type ServiceAccess, remoteAction } from '../with-client.ts';

/** `hookbell service limits`: credit limits of users. */
export const defineLimits: DefineCommand = (program, run) => {
  const limits = program.command('limits').description('plan and set credit limits of users');
  const set = limits
    .command('set <email=credits...>')
    .description('set limits; exit with 8 unless all are set as requested');
  remoteAction(withWriteOptions(set), run, (context, remote) =>
    setGivenLimits(context, withKnown(context, remote), set.args, set.opts<SetOptions>()),
  );
  const plan = limits
    .command('plan <file.csv>')
    .description(
      'compare a file of limits with the directory and four weeks of usage; send nothing',
    );
  remoteAction(plan, run, (context, { api }) => planLimits(context, api, plan.args[0] ?? ''));
  const apply = limits
    .command('apply <file.csv>')
    .description(
      'set the limits in a file (columns email, limit); exit with 8 unless all are set as requested',
    )
    .option('--only-failed <report>', 'skip rows that an earlier report lists as updated')
    .option('--report <file>', 'write the report to this file; FILE.report.csv by default');
  remoteAction(withWriteOptions(apply), run, (context, remote) => {
    const [path = ''] = apply.args;
    return applyLimits(context, withKnown(context, remote), path, apply.opts<ApplyOptions>());
  });
};

/** The limits set from this machine are known by the address of the service. */
function withKnown({ paths }: CommandContext, { api, config }: ServiceAccess): LimitService {
  return { api, known: knownLimits(paths.state, config.api?.baseUrl ?? '') };
}

function withWriteOptions(command: Command): Command {
  return command
    .option('--dry-run', 'show old and new limits, send nothing')
    .option('--csv', 'print CSV, for spreadsheets')
    .option(
      '--allow-null',
      'accept "null", which removes a limit at some services; the interface documents a number',
    );
}
