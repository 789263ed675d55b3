/**
 * Ten steps with a real workspace: `npm run slack:live`. It posts as an app, waits for what the person does in Slack, and asks
 * what the person sees. The options come from HOOKBELL_CHANNEL as JSON, or from the first channel of type "slack" in the
 * configuration; it needs `app_token` and `members`, and the daemon stopped, because Slack passes each press to one connection.
 */
import { createInterface } from 'node:readline/promises';

import type { Reaction } from '../../src/core/channel.ts';
import type { DecidableRequest, Notification } from '../../src/core/notification.ts';
import { hostileTexts } from '../support/hostile-texts.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import {
  context,
  DEADLINE_MS,
  type LiveChannel,
  message,
  openLiveChannel,
} from './live-channel.ts';

/** How long to wait for what the person does, ms. */
const PERSON_MS = Number(process.env['HOOKBELL_PERSON_MS'] ?? 180_000);

const person = createInterface({ input: process.stdin, output: process.stdout });
const typed = person[Symbol.asyncIterator]();
const reactions: Reaction[] = [];
let heard: () => void = () => undefined;
const dependencies = {
  onReaction(reaction: Reaction) {
    reactions.push(reaction);
    heard();
  },
};

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** @throws Error unless the person says yes */
async function sees(question: string): Promise<void> {
  say(`   ${question} [y/n]`);
  const { value } = await typed.next();
  if (!/^y/i.test(String(value))) throw new Error(`The person does not see it: ${question}`);
}

/** Waits for the next reaction. @throws Error if it is another one, or none comes */
async function does(what: string, isIt: (reaction: Reaction) => boolean): Promise<void> {
  const before = reactions.length;
  say(`   Now ${what}`);
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`Nothing arrived: ${what}`)), PERSON_MS);
    heard = () => {
      clearTimeout(timer);
      resolve();
    };
  });
  const reaction = reactions[before];
  if (reaction === undefined || !isIt(reaction)) {
    throw new Error(`Something else arrived: ${JSON.stringify(reaction)}`);
  }
}

const decidable = (command: string): DecidableRequest => ({
  question: 'q1',
  requestHash: 'h1',
  choices: ['allow', 'deny'],
  text: `Run: ${command}`,
  asks: [],
});

const groupKey = `live:${Date.now()}`;

function asking(command: string, fields: Partial<Notification> = {}): Notification {
  return message({
    kind: 'needs.permission',
    title: 'live test needs permission',
    body: `Run: ${command}`,
    decidable: decidable(command),
    groupKey,
    ...fields,
  });
}

async function post({ channel }: LiveChannel, one: Notification, attempt = 1): Promise<string> {
  const outcome = await channel.send(one, { ...context(), attempt });
  if (outcome.type === 'delivered' && outcome.ref !== undefined) return outcome.ref;
  throw new Error(outcome.type === 'delivered' ? 'It returned no reference' : outcome.reason);
}

async function change(live: LiveChannel, ref: string, body: string): Promise<void> {
  const over = asking('ls', { title: 'Over: live test', body });
  const outcome = await live.channel.update?.(ref, over, context());
  if (outcome?.type !== 'delivered') throw new Error(outcome?.reason ?? 'It cannot update');
}

const decided =
  (choice: string) =>
  (reaction: Reaction): boolean =>
    reaction.type === 'decided' && reaction.choice === choice;

interface Stage {
  live: LiveChannel;
  again(): Promise<void>;
}

const steps: readonly (readonly [title: string, play: (stage: Stage) => Promise<void>])[] = [
  [
    'The tokens, the scopes and the connection',
    async ({ live }) => {
      // The connection opens meanwhile.
      for (const end = Date.now() + DEADLINE_MS; ;) {
        const { ok, summary } = await live.channel.check(AbortSignal.timeout(DEADLINE_MS));
        if (ok) return say(`   ${summary}`);
        if (Date.now() > end) throw new Error(summary);
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    },
  ],
  [
    'A permission, allowed by a button',
    async ({ live }) => {
      const ref = await post(live, asking('npm publish'));
      await sees(
        'Is there a new thread that says "Waiting for you" and since when, with a reply that mentions you and has Allow, Deny, Deny with words, Snooze, Mute and Seen?',
      );
      await does('press "Allow"', decided('allow'));
      await change(live, ref, 'Allowed by you');
      await sees('Are the buttons gone, and does the thread begin with "Working"?');
    },
  ],
  [
    'Deny with words',
    async ({ live }) => {
      const ref = await post(live, asking('rm -rf build'));
      await does('press "Deny with words…" and send any words', decided('deny'));
      await change(live, ref, 'Denied by you');
    },
  ],
  [
    'A reply in the thread',
    async ({ live }) => {
      const ref = await post(live, asking('npm test'));
      await does('write a message into the thread', decided('deny'));
      await change(live, ref, 'Denied by you');
    },
  ],
  [
    'Seen, Snooze and Mute',
    async ({ live }) => {
      await post(live, asking('ls'));
      await does('press "Snooze 30 min"', ({ type }) => type === 'snoozed');
      await does('press "Mute 1 h"', ({ type }) => type === 'muted');
      await does('press "Seen"', ({ type }) => type === 'acknowledged');
    },
  ],
  [
    'The end of a turn, and a failure',
    async ({ live }) => {
      await post(live, message({ kind: 'turn.done', severity: 'info', groupKey }));
      await post(live, message({ kind: 'turn.failed', severity: 'critical', groupKey }));
      await sees('Does the thread have a green and a red reply, and begin with "Failed"?');
    },
  ],
  [
    'Hostile texts',
    async ({ live }) => {
      const body = `@channel @here <!here> <!channel> <@U0> https://evil.test\n${hostileTexts.join('\n')}`;
      await post(live, message({ title: 'live test: <!channel> hostile', body, groupKey }));
      await sees('Is no one mentioned, and nothing bold, a link or an emoji in that text?');
    },
  ],
  [
    'A message sent again is found, not posted twice',
    async ({ live }) => {
      const one = asking('touch once', { title: 'live test: only once' });
      const first = await post(live, one);
      const again = await post(live, { ...one, possibleDuplicate: true }, 2);
      if (JSON.parse(first).ts !== JSON.parse(again).ts) throw new Error('It was posted twice');
      await sees('Does the thread have one message "only once"?');
    },
  ],
  [
    'A restart: the thread goes on, and earlier buttons count',
    async (stage) => {
      const before = asking('touch restart', { title: 'live test: before the restart' });
      const ref = await post(stage.live, before);
      await stage.again();
      await stage.live.channel.resubscribe?.(ref, before);
      await post(stage.live, asking('ls', { title: 'live test: after the restart' }));
      await does('press "Deny" of "before the restart"', decided('deny'));
      await sees('Are both messages in the same thread?');
    },
  ],
  [
    'The command and the home',
    async () => {
      await sees('Does "/hookbell who" show sessions, or say that the daemon does not run?');
      await sees('Does the home of the app show the same?');
    },
  ],
];

async function main(): Promise<number> {
  await using directory = await temporaryDirectory();
  const parts = { ...dependencies, stateDir: directory.path };
  const stage: Stage = {
    live: await openLiveChannel('slack', parts),
    async again() {
      await stage.live[Symbol.asyncDispose]();
      stage.live = await openLiveChannel('slack', parts);
    },
  };
  let failed = 0;
  try {
    for (const [index, [title, play]] of steps.entries()) {
      say(`\n${index + 1}. ${title}`);
      try {
        await play(stage);
        say('   ok');
      } catch (error) {
        failed += 1;
        say(`   BAD: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  } finally {
    await stage.live[Symbol.asyncDispose]();
    person.close();
  }
  say(`\n${steps.length - failed} of ${steps.length} steps are as they should be`);
  return failed === 0 ? 0 : 1;
}

process.exitCode = await main();
