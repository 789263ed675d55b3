import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';

import { agentProcesses } from '../../agents/registry.ts';
import { expositionText } from '../../core/metrics.ts';
import { ownProgram, programFile } from '../../platform/program-files.ts';
import { UsageError } from '../../platform/errors.ts';
import { type CommandContext, type DefineCommand, type ExitCode, exitCodes } from '../context.ts';
import { recordedService } from '../install-places.ts';
import { callerName } from '../../control/caller.ts';
import { findDaemon } from '../../control/stop-daemon.ts';
import { type StopOrder, writeStopOrder } from '../../control/stop-order.ts';
import { proveDaemon, startDaemon, stopHere } from '../daemon-process.ts';
import { readDuration } from '../time-text.ts';
import { holdsText } from '../doctor/why-no-daemon.ts';
import { complainNotInForce } from '../read-config.ts';

/** `hookbell start|stop|restart|daemon`: runs the daemon, and shows its metrics. */
export const defineDaemon: DefineCommand = (program, run) => {
  program
    .command('start')
    .description('start the daemon in the background; see also "restart" and "daemon"')
    .action(
      run(async (context) => {
        const { output } = context;
        const running = await findDaemon(context);
        const { pid, config } = running ?? (await startDaemon(context, ownProgram));
        output.say(
          running === null ? `Started the daemon, pid ${pid}` : `Already running, pid ${pid}`,
        );
        complainNotInForce(context, config);
      }),
    );

  program
    .command('stop')
    .argument('[time]', 'for how long, such as 2h, over log-ins too', readDuration)
    .description(
      'stop the daemon until "hookbell start" or the next log-in; hooks keep recording events',
    )
    .option('--forever', 'until "hookbell start", over log-ins too')
    .action(run(stop));

  program
    .command('restart', { hidden: true })
    .description('restart the daemon')
    .action(
      run(async (context) => {
        // A service has its own folder of the program.
        const isService = (await recordedService(context)) !== null;
        await proveDaemon(context, isService ? context.paths.program : ownProgram);
        await stopHere(context);
        const { pid, config } = await startDaemon(context, ownProgram);
        context.output.say(`Started the daemon, pid ${pid}`);
        complainNotInForce(context, config);
      }),
    );

  const daemon = program
    .command('daemon', { hidden: true })
    .description(
      'run the daemon in the foreground and log to standard error; hooks start it with the same settings after a crash',
    )
    .action(run(() => runInForeground(programFile('daemon'), ['--foreground'])));
  daemon
    .command('metrics')
    .description("print the daemon's metrics in the Prometheus text format")
    .action(
      run(async ({ output, json, ask }) => {
        const families = await ask('GET /v1/metrics');
        if (json) output.json(families);
        else output.line(expositionText(families).trimEnd());
      }),
    );
};

async function stop(
  context: CommandContext,
  forMs: number | undefined,
  { forever = false }: { readonly forever?: boolean },
): Promise<void> {
  if (forMs !== undefined && forever)
    throw new UsageError('Specify a time or "--forever", not both');
  const { output, paths } = context;
  const now = Date.now();
  // Only a service starts a daemon at a log-in.
  const hasService = (await recordedService(context)) !== null;
  const order: StopOrder = {
    at: now,
    by: await callerName(process.pid, agentProcesses),
    until: forMs === undefined ? null : now + forMs,
    endsAtLogin: forMs === undefined && !forever && hasService,
  };
  await mkdir(paths.state, { recursive: true, mode: 0o700 });
  // Before it ends, since a hook may come a moment later.
  writeStopOrder(paths, order);
  const pid = await stopHere(context);
  const what = pid === null ? 'No daemon is running' : `Stopped the daemon, pid ${pid}`;
  output.say(`${what}. Hooks record events, but no one is notified ${holdsText(order, now)}`);
}

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
