/**
 * Sends messages through a channel to a service that a person has an account of, and says what to look for:
 * `npm run channels:live -- TYPE`. The options come from HOOKBELL_CHANNEL as JSON, such as
 * `{"webhook":{"file":"/home/me/hook"}}`, or else from the first channel of that type in the configuration.
 */
import { setTimeout as delay } from 'node:timers/promises';

import type { Channel } from '../../src/core/channel.ts';
import type { Notification } from '../../src/core/notification.ts';
import type { Outcome } from '../../src/core/outcome.ts';
import { hostileTexts } from '../support/hostile-texts.ts';
import { context, DEADLINE_MS, message, openLiveChannel } from './live-channel.ts';

/** Time to look at a message before it changes, ms. */
const LOOK_MS = 15_000;

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function report(outcome: Outcome): void {
  say(outcome.type === 'delivered' ? '   delivered' : `   ${outcome.type}: ${outcome.reason}`);
}

async function send(channel: Channel, notification: Notification): Promise<string | undefined> {
  const outcome = await channel.send(notification, context());
  report(outcome);
  return outcome.type === 'delivered' ? outcome.ref : undefined;
}

/** Sends, repeats, updates and withdraws, with what to look for at each step. */
async function tour(channel: Channel): Promise<void> {
  const { ok, summary } = await channel.check(AbortSignal.timeout(DEADLINE_MS));
  say(`check: ${ok ? 'ok' : 'NOT OK'}: ${summary}`);

  say(
    '1. A permission. Look for: title, command, host, a colour or emoji for "waiting"; no formatting.',
  );
  const asked = message({
    kind: 'needs.permission',
    title: 'hookbell live test needs permission',
    body: 'Run: npm publish --tag next\nin /home/dev/shop · ada@devbox',
  });
  const ref = await send(channel, asked);

  say(
    '2. The same message again. Look for: a service with a key against repeats shows one message only.',
  );
  await send(channel, { ...asked, possibleDuplicate: true });

  say('3. Hostile texts. Look for: no one is mentioned, nothing is bold, a link or an emoji.');
  const body = `@channel @all @everyone @here <!here> <users/all>\n${hostileTexts.join('\n')}`;
  const hostile = await send(
    channel,
    message({ title: 'hookbell live test: hostile texts', body }),
  );

  say('4. A failure with a long text. Look for: red or urgent, an ellipsis at the end.');
  const failure = message({
    kind: 'turn.failed',
    severity: 'critical',
    title: 'hookbell live test: codex failed',
    body: '👨‍👩‍👧‍👦 a long text. '.repeat(3_000),
  });
  const long = await send(channel, failure);

  await delay(LOOK_MS);
  if (channel.update !== undefined && ref !== undefined) {
    say('5. The permission is updated. Look for: "Over:" in its title.');
    report(await channel.update(ref, { ...asked, title: `Over: ${asked.title}` }, context()));
  }
  for (const sent of channel.withdraw === undefined ? [] : [ref, hostile, long]) {
    if (sent === undefined) continue;
    say(
      '6. A message is withdrawn. Look for: it disappears, or its incident or alert is resolved.',
    );
    report((await channel.withdraw?.(sent, context())) ?? { type: 'delivered' });
  }
}

async function main(type: string | undefined): Promise<void> {
  await using live = await openLiveChannel(type);
  await tour(live.channel);
}

try {
  await main(process.argv[2]);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : 'It failed'}\n`);
  process.exitCode = 1;
}
