import { UsageError } from '../../core/errors.ts';
import type { DefineCommand } from '../define-command.ts';
import type { ApplyOptions } from '../remote/apply-limits.ts';
import { applyLimits } from '../remote/apply-limits.ts';
import { defineRemote } from '../remote/define-remote.ts';
import { planLimits } from '../remote/plan-limits.ts';
import { withClient } from '../remote/with-client.ts';

interface Options {
  readonly allowNull?: boolean;
}

/** `hookbell limits`: credit limits of users. */
export const defineLimits: DefineCommand = (program, run) => {
  const limits = program.command('limits').description('set credit limits of users');
  defineRemote<Options>(limits, run, {
    words: 'set <email=credits...>',
    description: 'set limits; exit code 8 unless all of them took effect',
    id: 'org.setLimits',
    configure: (command) =>
      command.option(
        '--allow-null',
        'take "null" for a limit, which removes it at some services; the interface says number',
      ),
    parameters: (words) => ({ users: words.map(readEntry) }),
    callOptions: ({ allowNull = false }) => ({ allowNull }),
  });
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
      'set the limits of a file (columns email, limit); exit code 8 unless all took effect',
    )
    .option('--only-failed <report>', 'leave out what an earlier report says was updated')
    .option('--report <file>', 'where the report goes; FILE.report.csv by default')
    .option('--allow-null', 'take "null" for a limit, which removes it at some services');
  apply.action(() =>
    run((context) =>
      withClient(context, ({ api }) =>
        applyLimits(context, api, apply.args[0] ?? '', apply.opts<ApplyOptions>()),
      ),
    ),
  );
};

/** @throws UsageError when it is not ADDRESS=CREDITS; the client looks closer at both */
function readEntry(word: string): { email: string; limit: number | null } {
  // An address may hold "=", a number may not.
  const at = word.lastIndexOf('=');
  const amount = word.slice(at + 1);
  const limit = amount === 'null' ? null : Number(amount === '' ? Number.NaN : amount);
  if (at < 1 || Number.isNaN(limit)) {
    throw new UsageError(`"${word}" is no limit, expected ADDRESS=CREDITS`, {
      hint: 'For example: hookbell limits set ann@example.com=2000000',
    });
  }
  return { email: word.slice(0, at), limit };
}
