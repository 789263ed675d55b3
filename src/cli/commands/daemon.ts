import { expositionText } from '../../core/metrics.ts';
import { findDaemon, startDaemon, stopDaemon } from '../daemon-process.ts';
import type { DefineCommand } from '../define-command.ts';
import { exitCodes } from '../exit-codes.ts';
import { ownProgram, programFile } from '../../core/program-files.ts';
import { runInForeground } from '../run-in-foreground.ts';

/** `hookbell start|stop|restart|daemon`: runs the daemon, and shows its metrics. */
export const defineDaemon: DefineCommand = (program, run) => {
  program
    .command('start')
    .description('start the daemon in the background')
    .action(() =>
      run(async (context) => {
        const { output } = context;
        const running = await findDaemon(context);
        const { pid } = running ?? (await startDaemon(context, ownProgram));
        output.say(
          running === null ? `Started the daemon, pid ${pid}` : `Already running, pid ${pid}`,
        );
      }),
    );

  program
    .command('stop')
    .description('stop the daemon; hooks keep recording events')
    .action(() =>
      run(async (context) => {
        const pid = await stopDaemon(context);
        context.output.say(
          pid === null ? 'No daemon is running' : `Stopped the daemon, pid ${pid}`,
        );
        return exitCodes.ok;
      }),
    );

  program
    .command('restart')
    .description('restart the daemon')
    .action(() =>
      run(async (context) => {
        await stopDaemon(context);
        const { pid } = await startDaemon(context, ownProgram);
        context.output.say(`Started the daemon, pid ${pid}`);
      }),
    );

  const daemon = program
    .command('daemon')
    .description('run the daemon in the foreground and log to standard error')
    .action(() => run(() => runInForeground(programFile('daemon'), ['--foreground'])));
  daemon
    .command('metrics')
    .description("print the daemon's metrics in the Prometheus text format")
    .action(() =>
      run(async ({ output, json, ask }) => {
        const families = await ask('GET /v1/metrics');
        if (json) output.json(families);
        else output.line(expositionText(families).trimEnd());
      }),
    );
};
