import { Option } from 'commander';

import type { MuteView } from '../../control/contract.ts';
import { agentNames, routedKinds } from '../../core/hook-event.ts';
import { NotFoundError, UsageError } from '../../platform/errors.ts';
import { type CommandContext, type DefineCommand, type ExitCode, exitCodes } from '../context.ts';
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
  readonly list?: true;
}

/** `hookbell mute`, `mute list`, `mute off`: mutes notifications by session, project, agent, channel or kind. */
export const defineMute: DefineCommand = (program, run) => {
  const parent = program
    .command('mute')
    .argument('[time]', 'duration, such as 30m', readDuration)
    .description('mute notifications and send them afterwards; without filters, all of them')
    .addOption(
      new Option('--for <time>', 'the same as the argument').argParser(readDuration).hideHelp(),
    )
    .option('--until <time>', 'until this time of day, such as 18:00', (text: string) =>
      nextClockTime(text, Date.now()),
    )
    .option('--forever', 'until "hookbell mute off"; anything still unanswered is sent then')
    .option('--session <id>', 'only this session (id or its beginning)')
    .option('--project <name>', 'only this project')
    .option('--agent <name>', 'only this agent', readWord(agentNames))
    .option('--channel <name>', 'only this channel')
    .option('--kind <kind>', 'only this kind of event', readWord(routedKinds))
    .addOption(new Option('--list', 'the same as "mute list"').hideHelp())
    .action(run(mute));

  parent.command('list').description('list mutes').action(run(listMutes));

  parent
    .command('off')
    .argument('[id...]', 'mute ids from "mute list"; optional if there is only one mute')
    .description('remove mutes and send what they held')
    .option('--all', 'all mutes')
    .action(run(unmute));
};

async function listMutes({ output, json, ask }: CommandContext): Promise<void> {
  const mutes = await ask('GET /v1/mutes');
  if (json) output.json(mutes);
  else printMutes(output, mutes, Date.now());
}

async function mute(
  context: CommandContext,
  time: number | undefined,
  { for: forMs, until, forever, list, ...conditions }: MuteOptions,
): Promise<void> {
  const { output, json, ask } = context;
  if (list === true) return listMutes(context);
  const untilMs = until === undefined ? undefined : until - Date.now();
  const ends = [time, forMs, untilMs, forever].filter((end) => end !== undefined);
  // A forgotten mute hides what agents ask, so every mute needs an explicit end.
  if (ends.length !== 1) {
    const fault = ends.length === 0 ? 'needs an end' : `has ${ends.length} ends, expected one`;
    throw new UsageError(`The mute ${fault}`, {
      hint: 'Use one of "hookbell mute 30m", "hookbell mute --until 18:00" or "hookbell mute --forever"',
    });
  }
  const made = await ask('POST /v1/mutes', {
    body: { ...conditions, forMs: time ?? forMs ?? untilMs ?? null },
  });
  if (json) output.json(made);
  else output.say(`Muted ${whatIsMuted(made)} until ${endOfMute(made, Date.now())}`);
}

/** @throws UsageError when it is not clear which mutes are meant, NotFoundError if none has the id */
async function unmute(
  context: CommandContext,
  ids: readonly string[],
  { all = false }: { readonly all?: boolean },
): Promise<ExitCode> {
  const { output, json, ask } = context;
  if (ids.length > 0 && all) throw new UsageError('Specify mute ids or --all, not both');
  const chosen = ids.length > 0 || all ? ids : await onlyMute(context);
  const body = all ? { all } : { ids: chosen };
  const { count } =
    all || chosen.length > 0 ? await ask('POST /v1/unmute', { body }) : { count: 0 };
  if (count === 0 && ids.length > 0) {
    const hint = 'Run "hookbell mute list" to list them';
    throw new NotFoundError('No mute has this id', { hint });
  }
  const left = new Set(ids).size - count;
  const rest = left > 0 ? `, ${left} not found; "hookbell mute list" lists the mutes` : '';
  if (json) output.json({ count });
  else output.say(count === 0 ? 'Nothing is muted' : `${count} removed${rest}`);
  return left > 0 ? exitCodes.partial : exitCodes.ok;
}

/** Returns the id of the only mute, if any. @throws UsageError for several, after listing them */
async function onlyMute({ output, json, ask }: CommandContext): Promise<readonly string[]> {
  const mutes = await ask('GET /v1/mutes');
  if (mutes.length <= 1) return mutes.map(({ id }) => id);
  if (json) output.json(mutes);
  else printMutes(output, mutes, Date.now());
  throw new UsageError(`${mutes.length} mutes are active`, {
    hint: 'Run "hookbell mute off ID" with one of them, or "hookbell mute off --all"',
  });
}

function printMutes(output: Output, mutes: readonly MuteView[], now: number): void {
  if (mutes.length === 0) return output.say('Nothing is muted');
  const short = shortenIds(mutes.map(({ id }) => id));
  output.table(
    ['MUTE', 'WHAT', 'UNTIL'],
    mutes.map((one) => [short(one.id), whatIsMuted(one), endOfMute(one, now)]),
  );
}
