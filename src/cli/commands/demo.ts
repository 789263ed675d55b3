import { Option } from 'commander';

import { FailedError, UsageError } from '../../platform/errors.ts';
import { type CommandContext, type DefineCommand, type ExitCode, exitCodes } from '../context.ts';
import { runDemo } from '../demo/run-demo.ts';
import { printingShow, type Show } from '../demo/timeline.ts';
import { withInterrupt } from '../refresh-loop.ts';

interface Choice {
  readonly speed: number;
  readonly desktop?: boolean;
  readonly keep?: boolean;
}

const silent: Show = { act: () => undefined, entry: () => undefined };

/** `hookbell demo`: runs the whole product in a temporary home directory. */
export const defineDemo: DefineCommand = (program, run) => {
  const command = program
    .command('demo')
    .description('watch half a minute of notifications from simulated agents')
    .option('--desktop', 'also show the pop-ups on your desktop')
    .option('--keep', 'keep the home directory of the demo, with log and database')
    .addOption(
      new Option('--speed <factor>', 'speed factor, from 0.2 to 2').argParser(readSpeed).default(1),
    )
    .addHelpText(
      'after',
      `
It runs the real hook and a real daemon in a temporary home directory, with simulated channels. It needs no network, and
neither reads nor changes your configuration, history or agents.
`,
    )
    .action(() => run((context) => demonstrate(context, command.opts<Choice>())));
};

async function demonstrate(context: CommandContext, choice: Choice): Promise<ExitCode> {
  const { output, json, env } = context;
  if (process.platform !== 'linux') {
    throw new FailedError('The demo runs only on Linux: its simulated desktop uses D-Bus');
  }
  const { timeline, durationMs, failure } = await withInterrupt((interrupted) =>
    runDemo(
      {
        env,
        speed: choice.speed,
        showOnDesktop: choice.desktop,
        keep: choice.keep,
        show: json ? silent : printingShow(output),
        onHome: (home) => {
          if (choice.keep === true) output.say(`The demo runs in "${home}", which is kept`);
        },
      },
      interrupted,
    ),
  );
  const ok = failure === null;
  if (json) output.json({ ok, durationMs, failure: failure?.message ?? null, timeline });
  if (failure !== null) {
    output.complain(`hookbell: ${failure.message}`);
    if (failure.hint !== null) output.complain(`  ${failure.hint}`);
    return exitCodes.failed;
  }
  output.say(
    `Finished as expected in ${(durationMs / 1_000).toFixed(1)} s; no process is left running`,
  );
  return exitCodes.ok;
}

/** At more than double speed, a slow machine would miss its own deadlines. */
function readSpeed(value: string): number {
  const speed = Number(value);
  if (/^[\d.]+$/.test(value) && speed >= 0.2 && speed <= 2) return speed;
  throw new UsageError(`The speed is "${value}", expected a number from 0.2 to 2`);
}
