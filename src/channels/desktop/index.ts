import { defineChannel } from '../../core/channel.ts';
import { desktopOptions } from './pop-up.ts';

export default defineChannel({
  type: 'desktop',
  summary:
    'Pop-ups on the desktop of this machine; where none can be shown, in the terminal of the session. A click acknowledges, ' +
    'where the desktop reports it; with `reply_page` a button answers the agent. After `hookbell install --answers` its buttons decide requests.',
  audience: 'person',
  reach: 'near',
  showsReplyLink: true,
  takesDecisions: 'here',
  options: desktopOptions,
  limits: { timeoutMs: 8_000, concurrency: 1, burst: 10, refillMs: 500, maxAttempts: 5 },
  async create(options, dependencies) {
    const { createDesktopChannel } = await import('./desktop-channel.ts');
    return createDesktopChannel(options, dependencies);
  },
});
