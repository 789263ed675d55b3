import { defineChannel } from '../../core/channel.ts';
import { desktopOptions } from './pop-up.ts';

export default defineChannel({
  type: 'desktop',
  summary:
    "Notifications on this machine's desktop or, if none can be shown, in the session's terminal",
  audience: 'person',
  reach: 'near',
  recipient: 'a pop-up on your desktop',
  can: {
    replace: 'needs a desktop that supports it',
    withdraw: 'needs a desktop that supports it',
    acknowledge: 'needs a desktop that reports clicks',
    decide: 'needs a desktop with buttons, and `hookbell install --answers`',
    reply: 'needs `reply_page` or `hookbell install --answers`',
  },
  options: desktopOptions,
  limits: { timeoutMs: 8_000, concurrency: 1, burst: 10, refillMs: 500, maxAttempts: 5 },
  async create(options, dependencies) {
    const { createDesktopChannel } = await import('./desktop-channel.ts');
    return createDesktopChannel(options, dependencies);
  },
});
