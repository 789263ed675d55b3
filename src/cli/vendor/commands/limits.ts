import type { Command } from 'commander';

import type { DefineCommand } from '../../context.ts';
import { applyLimits, type ApplyOptions, setLimits, type SetOptions } from '../send-limits.ts';
import { knownLimits } from '../known-limits.ts';
import { planLimits } from '../plan-limits.ts';
import { withClient } from '../with-client.ts';

/** `hookbell service limits`: credit limits of users. */
export const defineLimits: DefineCommand = (program, run) => {
  const limits = program.command('limits').description('plan and set credit limits of users');
  const set = limits
    .command('set <email=credits...>')
    .description('set limits; exit code 8 unless all of them are as asked');
  withWriteOptions(set).action((words: readonly string[]) =>
    run((context) =>
      withClient(context, ({ api, config }) =>
        setLimits(
          context,
          { api, known: knownLimits(context.paths.state, config.api?.baseUrl ?? '') },
          words,
          set.opts<SetOptions>(),
        ),
      ),
    ),
  );
  const plan = limits
    .command('plan <file.csv>')
    .description(
      'show a file of limits beside the directory and the use of four weeks; sends nothing',
    );
  plan.action(() =>
    run((context) =>
      withClient(context, ({ api }) => planLimits(context, api, plan.args[0] ?? '')),
    ),
  );
  const apply = limits
    .command('apply <file.csv>')
    .description(
      'set the limits of a file (columns email, limit); exit code 8 unless all are as asked',
    )
    .option('--only-failed <report>', 'leave out what an earlier report says was updated')
    .option('--report <file>', 'where the report goes; FILE.report.csv by default');
  withWriteOptions(apply).action((path: string) =>
    run((context) =>
      withClient(context, ({ api, config }) =>
        applyLimits(
          context,
          { api, known: knownLimits(context.paths.state, config.api?.baseUrl ?? '') },
          path,
          apply.opts<ApplyOptions>(),
        ),
      ),
    ),
  );
};

function withWriteOptions(command: Command): Command {
  return command
    .option('--dry-run', 'show what would change, from what to what, and send nothing')
    .option('--csv', 'answer with CSV, for spreadsheets')
    .option(
      '--allow-null',
      'take "null" for a limit, which removes it at some services; the interface says number',
    );
}
