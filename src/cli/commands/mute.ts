import { Option } from 'commander';

import type { MuteView } from '../../control/contract.ts';
import { NotFoundError, UsageError } from '../../platform/errors.ts';
import { agentNames, routedKinds } from '../../core/hook-event.ts';
import type { CommandContext, DefineCommand } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { readWord } from '../option-values.ts';
import type { Output } from '../output.ts';
import { endOfMute, shortenIds, whatIsMuted } from '../short-id.ts';
import { nextClockTime, readDuration } from '../time-text.ts';

interface MuteOptions {
  readonly for?: number;
  readonly until?: number;
  readonly forever?: true;
  readonly session?: string;
  readonly project?: string;
  readonly agent?: string;
  readonly channel?: string;
  readonly kind?: string;
}

interface Choice {
  readonly ids: readonly string[];
  readonly all: boolean;
}

/** `hookbell mute`, `mute list`, `mute off`: silence for a while, by session, project, agent, channel or kind. */
export const defineMute: DefineCommand = (program, run) => {
  const parent = program
    .command('mute')
    .argument('[time]', 'for how long, such as 30m', readDuration)
    .description('silence for a while: everything, or what the options name; it is sent afterwards')
    .addOption(
      new Option('--for <time>', 'the same as the argument').argParser(readDuration).hideHelp(),
    )
    .addOption(
      new Option('--until <time>', 'until that time of the day, such as 18:00').argParser((text) =>
        nextClockTime(text, Date.now()),
      ),
    )
    .option('--forever', 'until "hookbell mute off"; what nobody answered by then is sent')
    .option('--session <id>', 'only this session: its id or the beginning of one')
    .option('--project <name>', 'only this project')
    .option('--agent <name>', 'only this agent', readWord(agentNames))
    .option('--channel <name>', 'only this channel')
    .option('--kind <kind>', 'only this kind of event', readWord(routedKinds))
    .action((forMs: number | undefined, options: MuteOptions) =>
      run((context) => mute(context, forMs, options)),
    );

  parent
    .command('list')
    .description('show what is muted')
    .action(() =>
      run(async ({ output, json, ask }) => {
        const mutes = await ask('GET /v1/mutes');
        if (json) output.json(mutes);
        else printMutes(output, mutes, Date.now());
      }),
    );

  parent
    .command('off')
    .argument('[id...]', 'ids, as "mute list" shows them; not needed if there is one mute alone')
    .description('take mutes back; what was held because of them is told')
    .option('--all', 'every one')
    .action((ids: readonly string[], { all }: { readonly all?: boolean }) =>
      run((context) => unmute(context, { ids, all: all ?? false })),
    );
};

async function mute(
  { output, json, ask }: CommandContext,
  time: number | undefined,
  { for: forMs, until, forever, ...conditions }: MuteOptions,
): Promise<void> {
  const untilMs = until === undefined ? undefined : until - Date.now();
  const ends = [time, forMs, untilMs, forever].filter((end) => end !== undefined);
  // A mute that was forgotten loses what agents ask, so none is made without its end.
  if (ends.length !== 1) {
    const fault = ends.length === 0 ? 'has no end' : `has ${ends.length} ends`;
    throw new UsageError(`The mute ${fault}`, {
      hint: 'Say one: "hookbell mute 30m", "hookbell mute --until 18:00" or "hookbell mute --forever"',
    });
  }
  const made = await ask('POST /v1/mutes', {
    body: { ...conditions, forMs: time ?? forMs ?? untilMs ?? null },
  });
  if (json) output.json(made);
  else output.say(`Muted ${whatIsMuted(made)} until ${endOfMute(made, Date.now())}`);
}

/**
 * @throws UsageError when it is not clear which mutes are meant
 * @throws NotFoundError when none has such an id
 */
async function unmute(context: CommandContext, { ids, all }: Choice): Promise<ExitCode> {
  const { output, json, ask } = context;
  const body = await bodyOf(context, { ids, all });
  const { count } = body === null ? { count: 0 } : await ask('POST /v1/unmute', { body });
  if (count === 0 && ids.length > 0) {
    throw new NotFoundError('No mute has such an id', {
      hint: 'Run "hookbell mute list" to see those there are',
    });
  }
  if (json) output.json({ count });
  else output.say(count === 0 ? 'Nothing is muted' : `${count} taken back`);
  return count < new Set(ids).size ? exitCodes.partial : exitCodes.ok;
}

/** What to ask the daemon for; null when there is nothing to take back. */
async function bodyOf(context: CommandContext, { ids, all }: Choice): Promise<object | null> {
  if (ids.length > 0 && all) throw new UsageError('Say which mutes: their ids, or --all');
  if (all) return { all: true };
  if (ids.length > 0) return { ids };
  const only = await onlyMute(context);
  return only === null ? null : { ids: [only.id] };
}

/**
 * The one mute there is; null when there is none.
 *
 * @throws UsageError when there are several, after listing them
 */
async function onlyMute({ output, json, ask }: CommandContext): Promise<MuteView | null> {
  const mutes = await ask('GET /v1/mutes');
  if (mutes.length <= 1) return mutes[0] ?? null;
  if (json) output.json(mutes);
  else printMutes(output, mutes, Date.now());
  throw new UsageError(`There are ${mutes.length} mutes`, {
    hint: 'Run "hookbell mute off ID" with one of them, or "hookbell mute off --all"',
  });
}

function printMutes(output: Output, mutes: readonly MuteView[], now: number): void {
  if (mutes.length === 0) {
    output.say('Nothing is muted');
    return;
  }
  const short = shortenIds(mutes.map(({ id }) => id));
  output.table(
    ['MUTE', 'WHAT', 'UNTIL'],
    mutes.map((one) => [short(one.id), whatIsMuted(one), endOfMute(one, now)]),
  );
}
