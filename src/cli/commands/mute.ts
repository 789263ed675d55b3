import { Option } from 'commander';

import type { MuteView } from '../../core/control.ts';
import { NotFoundError, UsageError } from '../../core/errors.ts';
import { agentNames, kinds } from '../../core/hook-event.ts';
import { displayLine } from '../../core/sanitize.ts';
import { nextClockTime } from '../clock-time.ts';
import type { CommandContext } from '../context.ts';
import type { DefineCommand } from '../define-command.ts';
import type { ExitCode } from '../exit-codes.ts';
import { exitCodes } from '../exit-codes.ts';
import { readWord } from '../option-values.ts';
import type { Output } from '../output.ts';
import { readDuration } from '../read-duration.ts';
import { localTime } from '../time-text.ts';

interface MuteOptions {
  readonly for?: number;
  readonly until?: number;
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
    .description('silence for a while; what is not narrowed down is everything')
    .addOption(
      new Option('--for <time>', 'so long, such as 30m; what comes meanwhile is told afterwards')
        .argParser(readDuration)
        .conflicts('until'),
    )
    .addOption(
      new Option('--until <time>', 'until it is that time of the day, such as 18:00').argParser(
        (text) => nextClockTime(text, Date.now()),
      ),
    )
    .option('--session <id>', 'only this session: its id or the beginning of one')
    .option('--project <name>', 'only this project')
    .option('--agent <name>', 'only this agent', readWord(agentNames))
    .option('--channel <name>', 'only this channel')
    .option('--kind <kind>', 'only this kind of event', readWord(kinds))
    .action((options: MuteOptions) => run((context) => mute(context, options)));

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
  { for: forMs, until, ...conditions }: MuteOptions,
): Promise<void> {
  const untilMs = until === undefined ? null : until - Date.now();
  const made = await ask('POST /v1/mutes', {
    body: { ...conditions, forMs: forMs ?? untilMs },
  });
  if (json) output.json(made);
  else output.say(`Muted ${whatOf(made)} until ${endOf(made, Date.now())}`);
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
  output.table(
    ['MUTE', 'WHAT', 'UNTIL'],
    mutes.map((one) => [one.id, whatOf(one), endOf(one, now)]),
  );
}

/** "project shop, channel team", or "everything". */
function whatOf({ session, project, agent, channel, kind }: MuteView): string {
  const conditions = Object.entries({ session, project, agent, channel, kind })
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name} ${value}`);
  return conditions.length === 0 ? 'everything' : displayLine(conditions.join(', '));
}

function endOf({ until }: MuteView, now: number): string {
  return until === null ? 'you unmute it' : localTime(until, now);
}
