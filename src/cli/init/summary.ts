import { stepsFor } from '../../config/starter.ts';
import { displayLine } from '../../text/sanitize.ts';
import type { Answers } from './answers.ts';
import type { ChannelAnswer } from './ask-channel.ts';
import { valueAt } from './channel-fields.ts';

/** Describes the configuration of these answers for users who do not read YAML. */
export function summaryOf({ channels, quietHours, api }: Answers): readonly string[] {
  const byType = new Map(channels.map((channel) => [channel.type, channel]));
  const types = Object.fromEntries(channels.map(({ type }) => [type, { type }]));
  const { first, later } = stepsFor(types);
  const list = (names: readonly string[]): string =>
    names.map((name) => placeOf(byType.get(name) ?? null, name)).join(' and ');
  return [
    'You are notified when an agent needs a permission or an answer, when a turn fails, and when a turn of more than 20 s ends:',
    ...rows([
      ['immediately', list(first)],
      ...(later.length === 0
        ? []
        : [['after 2 min', `${list(later)}, unless you have reacted by then`] as const]),
    ]),
    ...rows([
      [
        'quiet hours',
        quietHours === null
          ? 'none'
          : `${quietHours.from} to ${quietHours.to}; notifications are held and sent together afterwards`,
      ],
      [
        'titles',
        api === null
          ? "from your agents' own files; nothing is looked up"
          : `looked up at ${String(api.options['base_url'])}`,
      ],
      ['more', '"hookbell channel add NAME" adds a channel later'],
    ]),
  ];
}

function rows(pairs: readonly (readonly [string, string])[]): readonly string[] {
  return pairs.map(([name, text]) => `  ${name.padEnd(12)} ${displayLine(text)}`);
}

/** Describes where a channel reaches the user. */
function placeOf(channel: ChannelAnswer | null, name: string): string {
  const option = (...path: readonly string[]): string => {
    const value = valueAt(channel?.options ?? {}, path);
    if (Array.isArray(value)) return value.join(' ');
    return typeof value === 'string' ? value : '';
  };
  switch (name) {
    case 'desktop':
      return 'a pop-up on your desktop';
    case 'terminal':
      return 'the terminal of the session';
    case 'slack':
      return 'Slack';
    case 'email':
      return `mail to ${option('to')}`;
    case 'webhook':
      return 'your webhook';
    case 'command':
      return `the command "${option('command')}"`;
    case 'file':
      return `the file ${option('path')}`;
    default:
      return name;
  }
}
