import { spawn } from 'node:child_process';

import { expositionText } from '../../core/metrics.ts';
import { ownProgram, programFile } from '../../platform/program-files.ts';
import { type DefineCommand, type ExitCode, exitCodes } from '../context.ts';
import { findDaemon, startDaemon, stopDaemon } from '../daemon-process.ts';

/** `hookbell start|stop|restart|daemon`: runs the daemon, and shows its metrics. */
export const defineDaemon: DefineCommand = (program, run) => {
  program
    .command('start')
    .description('start the daemon in the background; see also "restart" and "daemon"')
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
    .command('restart', { hidden: true })
    .description('restart the daemon')
    .action(() =>
      run(async (context) => {
        await stopDaemon(context);
        const { pid } = await startDaemon(context, ownProgram);
        context.output.say(`Started the daemon, pid ${pid}`);
      }),
    );

  const daemon = program
    .command('daemon', { hidden: true })
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

/** Runs a Node program with our standard streams, forwards signals, and returns whether it exited with 0. */
export async function runInForeground(main: string, words: readonly string[]): Promise<ExitCode> {
  const child = spawn(process.execPath, [main, ...words], { stdio: 'inherit' });
  const handOn = (signal: NodeJS.Signals): void => void child.kill(signal);
  process.on('SIGTERM', handOn).on('SIGHUP', handOn);
  // A terminal sends Ctrl-C to both of us: the child decides when to end.
  process.on('SIGINT', doNothing);
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  process.off('SIGTERM', handOn).off('SIGHUP', handOn).off('SIGINT', doNothing);
  return code === 0 ? exitCodes.ok : exitCodes.failed;
}

function doNothing(): void {}
