import { randomBytes, randomInt } from 'node:crypto';

import { z } from 'zod';

import type { GuidedAnswer, SetUpGuide } from '../../core/prompts.ts';
import { FailedError, HookbellError } from '../../platform/errors.ts';
import { parseJson } from '../../platform/json.ts';
import { pause } from '../../platform/time.ts';
import { createButtonSigner, SEEN } from '../support/signed-buttons.ts';
import { serverAddress, serverFrom } from '../support/web-address.ts';
import { openAnswerStream } from './answer-stream.ts';
import {
  authorization,
  DEFAULT_SERVER,
  ntfyOptions,
  type NtfyTarget,
  readNtfyTarget,
} from './options.ts';
import { actionOf } from './message.ts';
import { checkTarget, ntfyServer } from './server.ts';
import { documentationPage } from '../../text/documentation.ts';

const TAP_MS = 180_000;
const CALL_MS = 10_000;

/** Without letters and digits that look alike, because a topic may be typed into a phone. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';

const health = z.object({ healthy: z.literal(true) });

/** Sets up two unguessable topics, and waits for a press on a test. @throws FailedError if the person stops */
export async function guideNtfy(use: SetUpGuide): Promise<GuidedAnswer> {
  const { choose, say, showLink } = use;
  const { server, isTested } = await askServer(use);
  const topic = newTopic();
  const answerTopic = newTopic();
  const isOpen = !isTested || (await get(server, `/${topic}/auth`, use)).status === 200;
  if (isTested) say(isOpen ? openText : closedText(topic, answerTopic));
  let tokens = await askTokens(use, isOpen);
  say(
    `\nInstall the ntfy app on the phone. Android: scan this code or open the link. iPhone, or by hand: add the topic\n"${topic}" of the server "${server}".\n`,
  );
  await showLink(appLink(server, topic));
  for (;;) {
    const typed = { topic, answer_topic: answerTopic, ...tokens };
    const next = await choose({
      message: 'Is the phone subscribed?',
      flag: '--set topic=file:PATH',
      choices: [
        { value: 'test', label: 'Yes', hint: 'send a test and wait for its button' },
        { value: 'later', label: 'Later', hint: 'add the channel without a test' },
        ...(isOpen ? [] : [{ value: 'tokens', label: 'Enter the tokens again' }]),
      ],
      initial: 'test',
    });
    if (next === 'tokens') tokens = await askTokens(use, isOpen);
    const answer = {
      options: { server },
      secrets: Object.entries(typed).map(([key, value]) => ({ path: [key], value })),
    };
    if (next === 'later') return answer;
    if (next === 'test' && (await test({ server, ...typed }, use))) return answer;
  }
}

const openText = `
Anyone who knows the name of a topic on this server can read it, so hookbell creates two unguessable names.
The buttons Seen and Snooze work. Allow and Deny need topics that others cannot read, as on a server of yours with access control, because anyone who reads a topic can press its buttons:
${documentationPage('docs/channels/ntfy.md')}
`;

function closedText(topic: string, answerTopic: string): string {
  return `
This server requires a token to read topics, so Allow and Deny are possible. Its administrator runs:

  ntfy user add hookbell
  ntfy access hookbell ${topic} write-only
  ntfy access hookbell ${answerTopic} read-only
  ntfy token add hookbell
  ntfy user add buttons
  ntfy access buttons ${answerTopic} write-only
  ntfy token add buttons
  ntfy user add phone
  ntfy access phone ${topic} read-only

The app needs the user "phone" with its password (Settings, Manage users).
`;
}

/** Asks until a server responds, or the person wants to use one that does not. */
async function askServer(
  use: SetUpGuide,
): Promise<{ readonly server: string; readonly isTested: boolean }> {
  let server = await askAddress(use);
  for (;;) {
    const { outcome, text } = await get(server, '/v1/health', use);
    if (health.safeParse(parseJson(text)).success) return { server, isTested: true };
    const reason = outcome.type === 'delivered' ? 'it is not an ntfy server' : outcome.reason;
    use.say(`Cannot use "${server}": ${reason}`);
    const next = await use.choose({
      message: 'How do you want to continue?',
      flag: '--set server=VALUE',
      choices: [
        { value: 'again', label: 'Try again' },
        { value: 'other', label: 'Another address' },
        { value: 'anyway', label: 'Use it anyway', hint: 'it is tested later' },
      ],
      initial: 'again',
    });
    if (next === 'anyway') return { server, isTested: false };
    if (next === 'other') server = await askAddress(use);
  }
}

async function askAddress({ questions }: SetUpGuide): Promise<string> {
  const typed = await questions.text({
    message: 'ntfy: address of the server',
    flag: '--set server=VALUE',
    initial: DEFAULT_SERVER,
    look: 'shown',
    fault: (text) => serverAddress.safeParse(text).error?.issues[0]?.message ?? null,
  });
  return serverFrom(typed).server;
}

/** The tokens as options; without those that the server does not need. */
async function askTokens(
  { questions }: SetUpGuide,
  isOpen: boolean,
): Promise<Readonly<Record<string, string>>> {
  const ask = (key: string, message: string): Promise<string> =>
    questions.text({
      message,
      flag: `--set ${key}=file:PATH`,
      initial: isOpen ? '' : null,
      look: 'hidden',
      fault: (text) => (/^[\u0021-\u007e]+$/.test(text) ? null : 'is not a token, such as "tk_…"'),
    });
  if (isOpen) {
    const token = await ask('token', 'Access token of your account (empty: none)');
    return token === '' ? {} : { token };
  }
  const token = await ask('token', 'Token of the user "hookbell"');
  const answerToken = await ask('answer_token', 'Token of the user "buttons"');
  return { token, answer_token: answerToken };
}

function resolveSecret(text: unknown): Promise<string> {
  return Promise.resolve(String(text));
}

/** Sends a test and waits for its button. Returns whether it was pressed, after saying what happened. */
async function test(written: object, use: SetUpGuide): Promise<boolean> {
  const { say, now } = use;
  try {
    const options = ntfyOptions.parse(written);
    const target = await readNtfyTarget(options, { name: 'ntfy', resolveSecret });
    const within = AbortSignal.any([use.signal, AbortSignal.timeout(CALL_MS)]);
    const fetch: typeof use.outbound.fetch = (url, request) => use.outbound.fetch(url, request);
    const checked = await checkTarget(target, { fetch, trouble: null, signal: within });
    if (!checked.ok) {
      say([checked.summary, ...(checked.hint === undefined ? [] : [checked.hint])].join('\n'));
      return false;
    }
    const startedAt = now();
    const reason = await sendAndWait(target, use);
    if (reason !== null) {
      say(reason);
      return false;
    }
    const seconds = Math.round((now() - startedAt) / 1_000);
    say(`The phone answered after ${seconds} s. ${checked.summary}`);
    return true;
  } catch (error) {
    if (!(error instanceof HookbellError) || use.signal.aborted) throw error;
    say(error.message);
    return false;
  }
}

/** Returns null once the button was pressed, or why it was not. */
async function sendAndWait(target: NtfyTarget, use: SetUpGuide): Promise<string | null> {
  const { say, now, outbound, startTimer, signal } = use;
  const { server, topic, token, answers } = target;
  if (answers === null) return 'There is no answer topic';
  const key = randomBytes(32).toString('hex');
  const signer = createButtonSigner(key, key, now);
  const deliveryId = randomBytes(8).toString('hex');
  const done = new AbortController();
  const stream = openAnswerStream({
    url: `${server}/${answers.topic.reveal()}`,
    headers: authorization(token),
    fetch: (url, request) => outbound.fetch(url, request),
    onMessage: (body) => {
      if (signer.take(body)?.deliveryId === deliveryId) done.abort();
    },
    onConnected: () => undefined,
    startTimer,
    now,
  });
  try {
    const body = signer.sign({ deliveryId, act: SEEN.act });
    const message = {
      topic: topic.reveal(),
      title: 'hookbell: tap "Seen"',
      message: 'This is a test. The button shows that the phone can answer.',
      priority: 4,
      tags: ['bell'],
      sequence_id: `hookbell-${deliveryId}`,
      actions: [actionOf(SEEN.label, { server, ...answers }, body)],
    } as const;
    const { outcome } = await ntfyServer(target, use).publish(message, signal);
    if (signal.aborted) throw interrupted();
    if (outcome.type !== 'delivered') return outcome.reason;
    const within = `within ${TAP_MS / 60_000} minutes`;
    say(`Sent a test. Tap "${SEEN.label}" on the phone ${within} (Ctrl-C leaves it)`);
    await pause(TAP_MS, startTimer, AbortSignal.any([signal, done.signal]));
    if (done.signal.aborted) return null;
    if (signal.aborted) throw interrupted();
    const trouble = stream.trouble();
    return `No tap arrived ${within}${trouble === null ? '' : `: ${trouble}`}`;
  } finally {
    await stream.close();
  }
}

function interrupted(): FailedError {
  return new FailedError('Setup was interrupted', { hint: 'Nothing was changed' });
}

/** Opens the topic in the app for Android (https://docs.ntfy.sh/subscribe/phone/#ntfy-links). */
export function appLink(server: string, topic: string): string {
  const { protocol, host } = new URL(server);
  return `ntfy://${host}/${topic}${protocol === 'http:' ? '?secure=false' : ''}`;
}

/** About 99 random bits. */
function newTopic(): string {
  const letters = Array.from({ length: 20 }, () => LETTERS[randomInt(LETTERS.length)]);
  return `hookbell-${letters.join('')}`;
}

function get(server: string, path: string, use: SetUpGuide) {
  const signal = AbortSignal.any([use.signal, AbortSignal.timeout(CALL_MS)]);
  return ntfyServer({ server, token: null }, use).call(path, { method: 'GET', signal });
}
