import { readFile } from 'node:fs/promises';

import { UsageError } from '../../platform/errors.ts';
import type { CommandContext, DefineCommand } from '../context.ts';
import { requireConfig, requireNamedConfig } from '../read-config.ts';
import { type Replayed, replayTimeline } from '../replay-timeline.ts';
import { parseTimeline } from '../timeline.ts';

/** `hookbell route replay FILE`: simulates the notifications of a timeline; sends nothing. */
export const defineReplay: DefineCommand = (program, run) => {
  program
    .command('replay')
    .argument('<file>', 'timeline: JSON lines with "at" (seconds), "agent", "env" and "payload"')
    .description('run a timeline through the configuration on a simulated clock; nothing is sent')
    .option('--config <file>', 'file to use instead of the active configuration')
    .action((file: string, { config }: { readonly config?: string }) =>
      run(async (context) => {
        const { policy } = await (config === undefined
          ? requireConfig(context.paths.config)
          : requireNamedConfig(config));
        const replayed = await replayTimeline(parseTimeline(await readTimeline(file)), policy);
        for (const line of replayed.skipped) context.output.say(`Skipped ${line}`);
        print(context, replayed);
      }),
    );
};

async function readTimeline(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`Cannot read the timeline "${file}"`, {
      hint: 'Run "hookbell history --export" to write one from recorded events',
      cause: error,
    });
  }
}

function print({ output, json }: CommandContext, { sent }: Replayed): void {
  if (json) {
    output.json(
      sent.map(({ seconds, channel, step, kind, sessionId, alertId, reason }) => ({
        at: seconds,
        channel,
        step,
        kind,
        sessionId,
        alertId,
        reason,
      })),
    );
    return;
  }
  if (sent.length === 0) {
    output.say('Nothing would be sent');
    return;
  }
  output.table(
    ['AT', 'CHANNEL', 'STEP', 'KIND', 'SESSION', 'WHY'],
    sent.map((one) => [
      `${one.seconds} s`,
      one.channel,
      String(one.step),
      one.kind,
      one.sessionId ?? '-',
      withOthers(one.reason, one.also.length),
    ]),
  );
}

function withOthers(reason: string, count: number): string {
  return count === 0 ? reason : `with ${count} more; ${reason}`;
}
