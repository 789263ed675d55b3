import { Option } from 'commander';

import {
  DaemonUnreachableError,
  FailedError,
  HookbellError,
  UsageError,
} from '../../platform/errors.ts';
import { cutText, displayLine } from '../../text/sanitize.ts';
import type { CommandContext, DefineCommand } from '../context.ts';
import { createPlay, type Entry } from '../demo/play.ts';
import { setStage } from '../demo/stage.ts';
import { scenes } from '../demo/story.ts';
import type { Output } from '../output.ts';
import { withInterrupt } from '../refresh-loop.ts';
import { shortId } from '../short-id.ts';

interface Choice {
  readonly speed: number;
  readonly keep?: boolean;
}

/** `hookbell demo`: runs the whole product in a temporary home directory. */
export const defineDemo: DefineCommand = (program, run) => {
  program
    .command('demo')
    .description('watch 20 seconds of notifications from simulated agents')
    .option('--keep', 'keep the home directory of the demo, with log and database')
    .addOption(
      new Option('--speed <factor>', 'speed factor, from 0.2 to 2').argParser(readSpeed).default(1),
    )
    .addHelpText(
      'after',
      `
It runs the real hook and a real daemon in a temporary home directory. Its channels send to a local test server. It
needs no network, and neither reads nor changes your configuration, history or agents.
`,
    )
    .action(run(demonstrate));
};

async function demonstrate(
  context: CommandContext,
  { speed, keep = false }: Choice,
): Promise<void> {
  const { output, json, env } = context;
  const timeline: Entry[] = [];
  const show = json ? () => undefined : createPrinter(output);
  const tempo = { escalationMs: Math.round(3_000 / speed), burstMs: Math.round(1_000 / speed) };
  const startedAt = performance.now();
  const failure = await withInterrupt(async (interrupted) => {
    try {
      await using stage = await setStage({ env, ...tempo, keep });
      if (keep) output.say(`The demo runs in "${stage.home}", which is kept`);
      const play = createPlay(stage, {
        ...tempo,
        interrupted,
        show(entry) {
          timeline.push(entry);
          show(entry);
        },
      });
      await play.startDaemon();
      for (const scene of scenes) await scene(play);
      return null;
    } catch (error) {
      if (interrupted.aborted) return new FailedError('The demo was interrupted', { cause: error });
      if (error instanceof DaemonUnreachableError) {
        const options = { hint: 'Run it again with --keep and see the daemon log', cause: error };
        return new FailedError('The demo failed: its daemon is not running', options);
      }
      if (error instanceof HookbellError) return error;
      throw error;
    }
  });
  const durationMs = Math.round(performance.now() - startedAt);
  if (json) {
    const ok = failure === null;
    output.json({ ok, durationMs, failure: failure?.message ?? null, timeline });
  }
  if (failure !== null) throw failure;
  output.say(
    `Finished as expected in ${(durationMs / 1_000).toFixed(1)} s; no process is left running`,
  );
}

/** At more than double speed, a slow machine would miss its own deadlines. */
function readSpeed(value: string): number {
  const speed = Number(value);
  if (/^[\d.]+$/.test(value) && speed >= 0.2 && speed <= 2) return speed;
  throw new UsageError(`The speed is "${value}", expected a number from 0.2 to 2`);
}

const LINE_LENGTH = 150;
/** Below what it explains. */
const INDENT = ' '.repeat(21);

/** Prints what happens as it happens. */
function createPrinter(output: Output): (entry: Entry) => void {
  const { paint } = output;
  let scene = '';
  return (entry) => {
    if (entry.scene !== scene) {
      scene = entry.scene;
      output.line();
      output.line(paint('bold', scene));
    }
    const time = `${(entry.atMs / 1_000).toFixed(1)} s`.padStart(8);
    output.line(`${paint('dim', time)}  ${placeOf(entry, paint)} ${cut(entry.what)}`);
    if (entry.why !== null) output.line(paint('dim', `${INDENT}${cut(entry.why)}`));
  };
}

function cut(text: string): string {
  const id = /[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}/g;
  return cutText(displayLine(text).replaceAll(id, shortId), LINE_LENGTH);
}

function placeOf({ type, channel }: Entry, paint: Output['paint']): string {
  const word = (channel ?? '').padEnd(8);
  return {
    sent: paint('green', `🔔 ${word}`),
    closed: paint('cyan', `↩  ${word}`),
    cancelled: paint('dim', `·  ${word}`),
    hook: '▸  agent   ',
    you: paint('yellow', '▸  you     '),
    daemon: paint('red', '▸  daemon  '),
  }[type];
}
