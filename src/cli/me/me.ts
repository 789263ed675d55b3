import type { MeRequest, MeView } from '../../core/hub/machine-requests.ts';
import type { PersonSettings } from '../../core/hub/person-settings.ts';
import { UsageError } from '../../platform/errors.ts';
import { localTimezone } from '../../platform/time.ts';
import type { CommandContext, DefineCommand } from '../context.ts';
import type { Output } from '../output.ts';
import { localTimeText, readDuration } from '../time-text.ts';
import { readQuietHours, weekdayNames, windowText } from './quiet-text.ts';

/** `hookbell me …`: a person's own settings at the hub that this machine belongs to. */
export const defineMe: DefineCommand = (program, run) => {
  const me = program
    .command('me', { hidden: true })
    .description("your settings at your team's hub: quiet hours, channels, mutes")
    .action(run((context) => ask(context, { type: 'show' })));

  me.command('timezone')
    .argument('<name>', 'such as Europe/Berlin, or "hub" for the hub\'s')
    .description('set the time zone of your quiet hours')
    .action(
      run((context, name: string) => set(context, { timezone: name === 'hub' ? null : name })),
    );

  me.command('quiet')
    .argument('<hours...>', 'such as 22:00-07:00, "none", or "hub" for the hub\'s')
    .description('set your quiet hours')
    .option('--days <days>', `days on which they begin: ${weekdayNames.join(',')}`)
    .option('--discard', 'drop these notifications instead of sending them afterwards')
    .action(run(setQuiet));

  me.command('channels')
    .argument('<name...>', 'channels of the hub that may notify you, or "all"')
    .description('choose the channels that notify you')
    .action(
      run((context, names: readonly string[]) => {
        const channels = names.length === 1 && names[0] === 'all' ? null : [...new Set(names)];
        return set(context, { channels });
      }),
    );

  me.command('mute')
    .argument('[time]', 'duration, such as 30m', readDuration)
    .description('hold your notifications')
    .option('--forever', 'until "hookbell me unmute"')
    .action(
      run((context, forMs: number | undefined, { forever }: { readonly forever?: true }) => {
        // A forgotten mute hides what agents ask, so every mute needs an explicit end.
        if ((forMs === undefined) === (forever === undefined)) {
          throw new UsageError('The mute needs a duration or --forever', {
            hint: 'Use "hookbell me mute 30m" or "hookbell me mute --forever"',
          });
        }
        return ask(context, { type: 'mute', forMs: forMs ?? null });
      }),
    );

  me.command('unmute')
    .description('end your mute and send what it held')
    .action(run((context) => ask(context, { type: 'unmute' })));
};

/** Hours are meant in the time zone of this machine, unless another one is set. */
async function setQuiet(
  context: CommandContext,
  hours: readonly string[],
  options: Parameters<typeof readQuietHours>[1],
): Promise<void> {
  const quiet = readQuietHours(hours, options);
  if (quiet === null || quiet.length === 0) return set(context, { quiet });
  const { settings } = await context.ask('POST /v1/me', { body: { type: 'show' } });
  const timezone = settings.timezone ?? localTimezone();
  return set(context, { quiet, timezone });
}

function set(context: CommandContext, settings: Partial<PersonSettings>): Promise<void> {
  return ask(context, { type: 'set', settings });
}

async function ask({ output, json, ask: send }: CommandContext, body: MeRequest): Promise<void> {
  const me = await send('POST /v1/me', { body });
  if (json) output.json(me);
  else print(output, me, Date.now());
}

function print(output: Output, { person, team, settings, mutes, channels }: MeView, now: number) {
  const { timezone, quiet, channels: wanted } = settings;
  const ends = mutes.map(({ until }) =>
    until === null
      ? 'until you unmute'
      : `until ${localTimeText(new Date(until).toISOString(), now)}`,
  );
  const hours = quiet === null ? "the hub's" : quiet.map(windowText).join('; ') || 'none';
  output.line(`Person     ${person}${team === null ? '' : ` (${team})`}`);
  output.line(`Time zone  ${timezone ?? "the hub's"}`);
  output.line(`Quiet      ${hours}`);
  output.line(`Channels   ${(wanted ?? channels).join(', ') || 'none'}`);
  output.line(`Muted      ${ends.join('; ') || 'no'}`);
}
