import { z } from 'zod';

import {
  type Channel,
  type ChannelCheck,
  type ChannelDependencies,
  defineChannel,
} from '../core/channel.ts';
import { ConfigError } from '../platform/errors.ts';
import { briefBody, type Notification } from '../core/notification.ts';
import { delivered, failed, retry } from '../core/outcome.ts';
import { type Ask, askProgram } from '../platform/ask-program.ts';
import { groupName, notifyTerminal, terminalSequences } from './support/notify-terminal.ts';

const options = z.strictObject({
  sequence: z
    .enum(['auto', ...terminalSequences])
    .default('auto')
    .describe(
      'How to notify: auto chooses by the name of the terminal (kitty: osc99, iTerm2: osc9, those that support none: bell, ' +
        'all others: osc777), or always the same one',
    ),
  bell: z
    .boolean()
    .default(true)
    .describe(
      "Also ring the terminal's bell when you have to act or something failed; false: only if nothing else is possible",
    ),
});

/** Works over ssh without anything installed there. A message that the terminal accepted counts as delivered. */
export default defineChannel({
  type: 'terminal',
  summary:
    'The terminal the agent runs in, even over ssh: with an escape sequence that it shows as a notification, or its bell',
  audience: 'person',
  reach: 'near',
  recipient: "the session's terminal",
  can: {},
  options,
  limits: { timeoutMs: 3_000, concurrency: 1, burst: 10, refillMs: 500, maxAttempts: 5 },
  create: async (configured, dependencies) => createTerminal(configured, dependencies),
});

function createTerminal(
  { sequence, bell }: z.output<typeof options>,
  { name, platform, env, now }: ChannelDependencies,
): Channel {
  if (platform === 'win32') {
    throw new ConfigError(`Cannot use channel "${name}": Windows has no terminals to write to`);
  }
  const ask = askProgram({ platform, env });
  const machine = { platform, ask, now };
  return {
    async send(notification, { signal }) {
      const { kind, title, body, groupKey } = notification;
      const message = {
        title,
        body: briefBody(kind, body),
        key: groupName(groupKey),
        bell: bellOf(notification, bell),
      };
      const notified = await notifyTerminal(notification, message, { sequence, machine, signal });
      if (notified.type === 'taken') return delivered(remarks[notified.how]);
      const reason = `Cannot notify: ${notified.reason}`;
      return notified.passes ? retry(reason) : failed(reason);
    },
    check: () => check(ask),
    close: () => Promise.resolve(),
  };
}

function bellOf(
  { quietly, severity }: Notification,
  isWanted: boolean,
): 'always' | 'alone' | 'never' {
  if (quietly) return 'never';
  return isWanted && severity !== 'info' ? 'always' : 'alone';
}

const remarks = {
  text: {},
  bell: { note: 'Only the bell rang' },
  silence: { note: 'Nothing was shown: only the bell was possible, and it is off' },
} as const;

/** The tmux option that lets a sequence pass; empty before tmux 3.3, where all pass. */
const PASSTHROUGH = ['show-options', '-gwqv', 'allow-passthrough'];

/** The terminals are not known in advance, but tmux around them may block every sequence. */
async function check(ask: Ask): Promise<ChannelCheck> {
  const summary = 'Writes to the terminal that the agent runs in';
  const passes = (await ask('tmux', PASSTHROUGH))?.trim();
  if (passes !== 'off') return { ok: true, summary };
  return {
    ok: true,
    summary: `${summary}; in tmux, only the bell gets through, because the option "allow-passthrough" is off`,
    hint: 'Add "set -g allow-passthrough on" to the tmux configuration (~/.tmux.conf), or "all" to include hidden windows',
  };
}
