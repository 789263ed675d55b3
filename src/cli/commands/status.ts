import type { StatusView } from '../../core/control.ts';
import { displayLine } from '../../core/sanitize.ts';
import type { Output } from '../output.ts';
import type { DefineCommand } from '../define-command.ts';

/** `hookbell status`: what the daemon does right now. */
export const defineStatus: DefineCommand = (program, run) => {
  program
    .command('status')
    .description('show what the daemon does right now')
    .action(() =>
      run(async ({ output, json, ask }) => {
        const status = await ask('GET /v1/status');
        if (json) output.json(status);
        else printStatus(output, status);
      }),
    );
};

function printStatus(output: Output, status: StatusView): void {
  const { paint } = output;
  const { spool, deliveries, sessions, config } = status;
  output.line(`${paint('green', 'running')}  pid ${status.pid}, since ${status.startedAt}`);
  output.line(
    `config    ${displayLine(config.path)}${config.ok ? '' : paint('red', ' not taken')}`,
  );
  for (const problem of config.problems) output.line(`          ${displayLine(problem)}`);
  output.line(`sessions  ${sessions.waiting} waiting, ${sessions.working} working`);
  output.line(
    `events    ${status.events} remembered, ${spool.pending} in the spool, ${spool.quarantined} in quarantine`,
  );
  output.line(
    `queue     ${deliveries.pending} pending, ${deliveries.sent} sent, ${deliveries.dead} dead`,
  );
  output.line();
  output.table(
    ['CHANNEL', 'TYPE', 'STATE', 'LAST', 'REASON'],
    status.channels.map((channel) => [
      channel.name,
      channel.type,
      channel.state,
      channel.lastOutcome ?? '-',
      channel.lastReason ?? '',
    ]),
  );
  for (const warning of status.warnings) output.line(paint('yellow', `! ${displayLine(warning)}`));
}
