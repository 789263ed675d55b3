import { findDaemon, startDaemon, stopDaemon } from '../daemon-process.ts';
import type { DefineCommand } from '../define-command.ts';
import { exitCodes } from '../exit-codes.ts';
import { ownProgram, programFile } from '../../core/program-files.ts';
import { runInForeground } from '../run-in-foreground.ts';

/** `hookbell daemon|start|stop|restart`: the life of the daemon. */
export const defineDaemon: DefineCommand = (program, run) => {
  program
    .command('daemon')
    .description('run the daemon in the foreground, with its log on standard error')
    .action(() => run(() => runInForeground(programFile('daemon'), ['--foreground'])));

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
    .description('stop the daemon; hooks keep handing in events meanwhile')
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
    .description('stop the daemon and start it again')
    .action(() =>
      run(async (context) => {
        await stopDaemon(context);
        const { pid } = await startDaemon(context, ownProgram);
        context.output.say(`Started the daemon, pid ${pid}`);
      }),
    );
};
