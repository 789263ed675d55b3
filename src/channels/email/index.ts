import { defineChannel } from '../../core/channel.ts';
import { isJsonObject } from '../../platform/json.ts';
import { emailOptions } from './email-options.ts';

/** A mail keeps its Message-ID over all attempts, and recipients that a server puts off are tried again without the others. */
export default defineChannel({
  type: 'email',
  summary: 'Sends mail through your own mail server',
  audience: 'person',
  reach: 'far',
  recipient: 'mail',
  can: { reply: 'needs `reply_page`', thread: true },
  options: emailOptions,
  isPersonal: ({ to }) => to === 'person',
  questions: {
    to: { message: 'Email: recipient', placeholder: 'me@example.com' },
    'smtp.host': {
      message: 'Email: mail server, as host:port unless the port is 587',
      placeholder: 'smtp.example.com',
    },
    'smtp.user': {
      message: 'Email: login name',
      placeholder: 'none: the server needs no login',
      initial: '',
      when: () => true,
    },
    'smtp.password': {
      message: 'Email: password (kept in a file only you can read)',
      when: ({ smtp }) => isJsonObject(smtp) && smtp['user'] !== undefined,
    },
  },
  limits: { timeoutMs: 20_000, concurrency: 2, burst: 5, refillMs: 2_000, maxAttempts: 12 },
  create: async (options, dependencies) => {
    const { createMailer } = await import('./mailer.ts');
    return createMailer(options, dependencies);
  },
});
