import type { MeRequest, MeView } from '../../core/hub/machine-requests.ts';
import type { PersonSettings } from '../../core/hub/person-settings.ts';
import { UsageError } from '../../platform/errors.ts';
import { localTimezone } from '../../platform/time.ts';
import type { CommandContext, DefineCommand } from '../context.ts';
import type { Output } from '../output.ts';
import { localTimeText, readDuration } from '../time-text.ts';

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

/** In the order of their numbers, 0 = Sunday. */
const weekdayNames: readonly string[] = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const RANGE = /^([01]?\d|2[0-3]):([0-5]\d)-([01]?\d|2[0-3]):([0-5]\d)$/;

type QuietWindow = NonNullable<PersonSettings['quiet']>[number];

/** Reads quiet hours: ranges such as "22:00-07:00", "none", or "hub" (null). @throws UsageError for anything else */
export function readQuietHours(
  hours: readonly string[],
  { days, discard }: { readonly days?: string; readonly discard?: true },
): PersonSettings['quiet'] {
  const [only] = hours;
  if (hours.length === 1 && only === 'hub') return null;
  if (hours.length === 1 && only === 'none') return [];
  return hours.map((text): QuietWindow => {
    const [, fromHour, fromMinute, toHour, toMinute] = RANGE.exec(text) ?? [];
    if (toMinute === undefined) {
      throw new UsageError(`The quiet hours are "${text}", expected a range such as 22:00-07:00`);
    }
    const from = Number(fromHour) * 60 + Number(fromMinute);
    const to = Number(toHour) * 60 + Number(toMinute);
    const begin = days === undefined ? null : readDays(days);
    if (from === to && (begin === null || begin.length === weekdayNames.length)) {
      throw new UsageError(`The quiet hours "${text}" never end`, {
        hint: 'Set another end or, for whole days, add --days sat,sun',
      });
    }
    const meanwhile = discard === true ? 'discard' : 'hold';
    return { from, to, days: begin, letThrough: [], meanwhile };
  });
}

function readDays(text: string): number[] {
  const days = text.split(',').map((name) => {
    const day = weekdayNames.indexOf(name.trim().toLowerCase());
    if (day >= 0) return day;
    throw new UsageError(`The day is "${name}", expected one of ${weekdayNames.join(', ')}`);
  });
  return [...new Set(days)];
}

/** A window for people: "22:00-07:00 on fri, sat". */
export function windowText({ from, to, days, meanwhile }: QuietWindow): string {
  const range = [from, to].map(clock).join('-');
  const on = days === null ? '' : ` on ${days.map((day) => weekdayNames[day] ?? '').join(', ')}`;
  return `${range}${on}${meanwhile === 'discard' ? ', discarding' : ''}`;
}

function clock(minutes: number): string {
  return [Math.floor(minutes / 60), minutes % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}
