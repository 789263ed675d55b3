import type { JsonObject } from '../../core/json-object.ts';
import type { ChannelField } from './channel-fields.ts';
import { valueAt } from './channel-fields.ts';

interface Wording {
  readonly message: string;
  readonly placeholder?: string;
  /** What holds where nothing is typed. */
  readonly initial?: string;
  /** For options that are not required: whether they are asked for, given the others. */
  readonly when?: (options: JsonObject) => boolean;
}

/** How options are asked for; a required one that is not listed is asked for with the words of its schema. */
const wordings: Readonly<Record<string, Wording>> = {
  'slack.webhook': {
    message: 'Slack: address of the incoming webhook (kept in a file only you can read)',
  },
  'email.to': { message: 'E-mail: who gets it', placeholder: 'me@example.com' },
  'email.smtp.host': {
    message: 'E-mail: your mail server, as host:port unless the port is 587',
    placeholder: 'smtp.example.com',
  },
  'email.smtp.user': {
    message: 'E-mail: login name there',
    placeholder: 'none: it takes mail without a login',
    initial: '',
    when: () => true,
  },
  'email.smtp.password': {
    message: 'E-mail: password (kept in a file only you can read)',
    when: (options) => valueAt(options, ['smtp', 'user']) !== undefined,
  },
  'webhook.url': { message: 'Webhook: its address (kept in a file only you can read)' },
  'command.command': {
    message: 'Command: the program and its arguments, separated by commas',
    placeholder: '/home/me/bin/ring',
  },
  'file.path': {
    message: 'File: where the lines go',
    initial: '~/.local/state/hookbell/notifications.jsonl',
  },
};

/** How an option is asked for; null: it is not, with these options. */
export function wordingOf(
  type: string,
  { path, required, description }: ChannelField,
  options: JsonObject,
): Wording | null {
  const wording = wordings[`${type}.${path.join('.')}`];
  if (wording?.when !== undefined) return wording.when(options) ? wording : null;
  if (!required) return null;
  return wording ?? { message: `${type}.${path.join('.')}: ${description}` };
}
