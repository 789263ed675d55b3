import { defineChannel } from '../../core/channel.ts';
import { emailOptions } from './email-options.ts';

/**
 * Sends a mail with a text and an HTML part. Mails of one session form one thread, and a mail keeps its Message-ID over
 * all attempts. Recipients that a server puts off are tried again without sending to the others twice.
 */
export default defineChannel({
  type: 'email',
  summary: 'Sends a mail over your own mail server',
  audience: 'person',
  reach: 'far',
  showsReplyLink: true,
  options: emailOptions,
  limits: { timeoutMs: 20_000, concurrency: 2, burst: 5, refillMs: 2_000, maxAttempts: 12 },
  create: async (options, dependencies) => {
    const { createMailer } = await import('./mailer.ts');
    return createMailer(options, dependencies);
  },
});
