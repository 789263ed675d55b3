import { defineChannel } from '../../core/channel.ts';
import { slackOptions, TO_PERSON } from './slack-options.ts';
import { createSlackWebhook } from './webhook-channel.ts';

const APP = 'needs `bot_token`';
const PRESSES = 'needs `app_token` and `members`';

/** Posts through an incoming webhook, or as an app with a thread per session, whose questions are decided in it. */
export default defineChannel({
  type: 'slack',
  summary: 'Posts to Slack through an incoming webhook, or as an app with threads and buttons',
  audience: 'person',
  reach: 'far',
  recipient: 'Slack',
  can: {
    update: APP,
    'mark-acknowledged': APP,
    acknowledge: PRESSES,
    snooze: PRESSES,
    decide: PRESSES,
    reply: 'needs `reply_page`, or `app_token` and `members`',
    thread: APP,
  },
  options: slackOptions,
  isPersonal: ({ to }) => to === TO_PERSON,
  questions: {
    webhook: {
      message: 'Slack: address of the incoming webhook (kept in a file only you can read)',
      when: (options) => options['bot_token'] === undefined,
    },
  },
  guide: async (use) => {
    const { guideSlack } = await import('./guide.ts');
    return guideSlack(use);
  },
  // Slack takes about one message a second and channel, with short bursts (https://docs.slack.dev/apis/web-api/rate-limits).
  limits: { timeoutMs: 10_000, concurrency: 1, burst: 3, refillMs: 1_000, maxAttempts: 12 },
  create: async (options, dependencies) => {
    const { webhook, bot_token: botToken, to } = options;
    if (webhook !== undefined) return createSlackWebhook(webhook, options, dependencies);
    if (botToken === undefined || to === undefined)
      throw new TypeError('The options are unchecked');
    const { createAppChannel } = await import('./app-channel.ts');
    return createAppChannel({ ...options, botToken, to }, dependencies);
  },
});
