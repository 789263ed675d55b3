import type { ChannelCheckView, ChannelStateView } from '../../control/contract.ts';
import type { Check, CheckGuide, Trouble } from './check.ts';
import { found, ok } from './check.ts';

const again = 'Run "hookbell test {channel}"';

export const channelGuide = {
  name: 'channel NAME',
  about: 'Whether a channel would work, by its own look and by what came of the last messages',
  troubles: {
    unfit: {
      state: 'problem',
      meaning:
        'The channel itself says that it could not send (a secret, an address, a program), and mostly what to do',
      remedy: again,
    },
    broken: {
      state: 'problem',
      meaning:
        'The far side refused for good, as with a key that was taken back: nothing is sent there until the configuration changes',
      remedy: again,
    },
    open: {
      state: 'problem',
      meaning:
        'Several messages in a row failed: the channel is left alone for a while, and what came meanwhile is told when it works again',
      remedy: again,
    },
    limited: {
      state: 'warning',
      meaning: 'The far side asked to wait; hookbell does, and goes on by itself',
      remedy: null,
    },
    undelivered: {
      state: 'warning',
      meaning: 'The last message did not get through; it may still be tried again',
      remedy: again,
    },
    unasked: { state: 'problem', meaning: 'The daemon could not look', remedy: null },
  },
} as const satisfies CheckGuide;
const { troubles } = channelGuide;

/** Whether a channel would work, by its own look and by what came of the last messages. */
export function checkChannel(
  { channel, type, ok: works, summary, hint }: ChannelCheckView,
  current: ChannelStateView | null,
): Check {
  const name = `channel ${channel}`;
  // What the channel itself advises knows more than we do.
  const report = (trouble: Trouble, said: string): Check => {
    const check = found(name, trouble, `${type}: ${said}`, { channel });
    return hint === null ? check : { ...check, hint };
  };
  if (!works) return report(troubles.unfit, summary);
  const reason = current?.lastReason ?? 'no reason given';
  switch (current?.state) {
    case 'broken':
      return report(troubles.broken, `cannot be used: ${reason}`);
    case 'open':
      return report(troubles.open, `paused after failures: ${reason}`);
    case 'limited':
      return report(troubles.limited, `has to wait: ${reason}`);
    case 'ok':
    case undefined:
      if (current === null || current.lastOutcome === null || current.lastOutcome === 'delivered') {
        return ok(name, `${type}: ${summary}`);
      }
      return report(troubles.undelivered, `the last message was not delivered: ${reason}`);
  }
}
