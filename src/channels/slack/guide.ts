import { z } from 'zod';

import type { GuidedAnswer, SetUpGuide } from '../../core/prompts.ts';
import { FailedError } from '../../platform/errors.ts';
import type { JsonObject } from '../../platform/json.ts';
import { pause } from '../../platform/time.ts';
import { Secret } from '../../text/secret.ts';
import { serverAddress, serverFrom } from '../support/web-address.ts';
import { SEEN } from '../support/signed-buttons.ts';
import { appManifest, botScopes } from './app-manifest.ts';
import { findTarget } from './app-target.ts';
import { slackPress } from './interactions.ts';
import { webhookFault } from './slack-options.ts';
import { openSocket } from './socket.ts';
import { type CallSlack, createCallSlack } from './web-api.ts';

const DEFAULT_SERVER = 'https://slack.com';
const GOVERNMENT_SERVER = 'https://slack-gov.com';
const CALL_MS = 10_000;
const PRESS_MS = 180_000;

const identity = z.object({ team: z.string(), team_id: z.string(), user: z.string() });
const account = z.object({ user: z.object({ id: z.string() }) });
const posted = z.object({ ts: z.string() });

interface Workspace {
  readonly server: string;
  readonly team: string;
  readonly botToken: string;
  readonly appToken: string;
  readonly call: CallSlack;
}

/** Sets up an app, with a test whose button the owner presses, or an incoming webhook. @throws FailedError if the person stops */
export async function guideSlack(use: SetUpGuide): Promise<GuidedAnswer> {
  const { choose } = use;
  const form = await choose({
    message: 'Slack: how should hookbell post?',
    flag: '--set webhook=file:PATH',
    choices: [
      { value: 'webhook', label: 'Through an incoming webhook', hint: 'only posts; 1 minute' },
      { value: 'app', label: 'As an app', hint: 'threads, buttons and replies; 5 minutes' },
      { value: 'other', label: 'As an app of GovSlack' },
    ],
    initial: 'webhook',
  });
  if (form === 'webhook') return askWebhook(use);
  const address = form === 'other' ? await askServer(use) : DEFAULT_SERVER;
  const workspace = await askWorkspace(address, use);
  const member = await askOwner(workspace, use);
  for (;;) {
    const to = await askPlace(use);
    const { server, botToken, appToken } = workspace;
    const answer: GuidedAnswer = {
      options: { ...(server !== DEFAULT_SERVER && { server }), to, members: [member] },
      secrets: [
        { path: ['bot_token'], value: botToken },
        { path: ['app_token'], value: appToken },
      ],
    };
    const next = await choose({
      message: 'Is the app in the conversation?',
      flag: '--set to=CHANNEL-ID',
      choices: [
        { value: 'test', label: 'Yes', hint: 'post a test and wait for its button' },
        { value: 'later', label: 'Later', hint: 'add the channel without a test' },
      ],
      initial: 'test',
    });
    if (next === 'later' || (await test(workspace, { to, member }, use))) return answer;
  }
}

async function askWebhook({ questions }: SetUpGuide): Promise<GuidedAnswer> {
  const value = await questions.text({
    message: 'Slack: address of the incoming webhook',
    flag: '--set webhook=file:PATH',
    initial: null,
    look: 'hidden',
    fault: (text) => webhookFault(text, false),
  });
  return { options: {}, secrets: [{ path: ['webhook'], value }] };
}

async function askServer({ questions }: SetUpGuide): Promise<string> {
  const typed = await questions.text({
    message: 'Slack: address',
    flag: '--set server=VALUE',
    initial: GOVERNMENT_SERVER,
    look: 'shown',
    fault: (text) => serverAddress.safeParse(text).error?.issues[0]?.message ?? null,
  });
  return serverFrom(typed).server;
}

async function askWorkspace(server: string, use: SetUpGuide): Promise<Workspace> {
  const { say } = use;
  say(stepsText(server));
  for (;;) {
    const botToken = await askToken('bot_token', 'Bot User OAuth Token', 'xoxb-', use);
    const call = bind(server, botToken, use);
    const { outcome, data, scopes } = await call('auth.test', {}, soon(use));
    const missing = botScopes.filter((scope) => !scopes.includes(scope));
    const { data: who } = identity.safeParse(data);
    if (outcome.type !== 'delivered') say(outcome.reason.replace('deliver to', 'use'));
    else if (who === undefined) say('Cannot use Slack: it returned no workspace');
    else if (missing.length > 0) {
      say(`The app lacks the scope "${missing.join('", "')}": replace its manifest with this one`);
    } else {
      say(`The token belongs to "${who.user}" in "${who.team}"`);
      const appToken = await askAppToken(server, use);
      return { server, team: who.team_id, botToken, appToken, call };
    }
  }
}

async function askAppToken(server: string, use: SetUpGuide): Promise<string> {
  for (;;) {
    const token = await askToken('app_token', 'App-Level Token', 'xapp-', use);
    const { outcome } = await bind(server, token, use)('apps.connections.open', {}, soon(use));
    if (outcome.type === 'delivered') return token;
    use.say(outcome.reason.replace('deliver to', 'connect to'));
  }
}

function askToken(key: string, name: string, prefix: string, use: SetUpGuide): Promise<string> {
  return use.questions.text({
    message: `Slack: ${name} (${prefix}…)`,
    flag: `--set ${key}=file:PATH`,
    initial: null,
    look: 'hidden',
    fault: (text) => (text.startsWith(prefix) ? null : `does not begin with "${prefix}"`),
  });
}

/** Returns the owner as "WORKSPACE:MEMBER". */
async function askOwner({ call, team }: Workspace, use: SetUpGuide): Promise<string> {
  for (;;) {
    const typed = await use.questions.text({
      message: 'Your email address in Slack, or your member id (U…)',
      flag: '--set members=VALUE',
      initial: null,
      look: 'shown',
      fault: (text) =>
        /^(?:[UW][A-Z0-9]{2,}|[^@\s]+@[^@\s]+)$/.test(text)
          ? null
          : 'is neither an address nor an id such as "U0123456789"',
    });
    if (!typed.includes('@')) return `${team}:${typed}`;
    const { outcome, data } = await call('users.lookupByEmail', { email: typed }, soon(use));
    const id = account.safeParse(data).data?.user.id;
    if (id !== undefined) return `${team}:${id}`;
    use.say(outcome.type === 'delivered' ? 'Slack returned no member' : outcome.reason);
  }
}

async function askPlace({ questions, say }: SetUpGuide): Promise<string> {
  const where = await questions.one({
    message: 'Where should it post?',
    flag: '--set to=CHANNEL-ID',
    choices: [
      { value: 'channel', label: 'In a channel' },
      { value: 'dm:@owner', label: 'To you, as direct messages' },
    ],
    initial: 'channel',
  });
  if (where !== 'channel') return where;
  say('Invite the app to the channel: /invite @hookbell');
  return questions.text({
    message: 'Id of the channel, at the end of its details',
    flag: '--set to=CHANNEL-ID',
    initial: null,
    look: 'shown',
    fault: (text) =>
      /^[CG][A-Z0-9]{2,}$/.test(text) ? null : 'is not an id, such as "C0123456789"',
  });
}

/** Posts a test and waits for its button. Returns whether it was pressed, after saying what happened. */
async function test(
  { server, appToken, call }: Workspace,
  { to, member }: { readonly to: string; readonly member: string },
  use: SetUpGuide,
): Promise<boolean> {
  const { say, now, signal, outbound, startTimer } = use;
  const owner = member.split(':')[1] ?? '';
  const done = new AbortController();
  let ts = '';
  const socket = openSocket({
    server: `${server}/api/`,
    appToken: new Secret(appToken),
    outbound,
    onInteractive(body) {
      const { data: pressed } = slackPress.safeParse(body);
      if (pressed?.message.ts === ts && pressed.user.id === owner) done.abort();
    },
    onEvent: () => undefined,
    onCommand: () => Promise.resolve({}),
    onConnected: () => undefined,
    startTimer,
  });
  try {
    const target = await findTarget(call, { to, owner }, soon(use));
    const { outcome, data } =
      'outcome' in target
        ? { ...target, data: {} }
        : await call('chat.postMessage', testPost(target.channel), soon(use));
    if (signal.aborted) throw interrupted();
    ts = posted.safeParse(data).data?.ts ?? '';
    if (outcome.type !== 'delivered') {
      say(outcome.reason);
      return false;
    }
    const startedAt = now();
    const within = `within ${PRESS_MS / 60_000} minutes`;
    say(`Posted a test. Press "${SEEN.label}" in Slack ${within} (Ctrl-C leaves it)`);
    await pause(PRESS_MS, startTimer, AbortSignal.any([signal, done.signal]));
    if (signal.aborted) throw interrupted();
    if (!done.signal.aborted) {
      const trouble = socket.trouble();
      say(`You did not press it ${within}${trouble === null ? '' : `: ${trouble}`}`);
      return false;
    }
    say(`Your press arrived after ${Math.round((now() - startedAt) / 1_000)} s`);
    return true;
  } finally {
    await socket.close();
  }
}

const plain = (text: string) => ({ type: 'plain_text', text, emoji: false });

function testPost(channel: string): JsonObject {
  const text = 'This is a test of hookbell. The button shows that Slack can answer.';
  const button = { type: 'button', action_id: SEEN.act, text: plain(SEEN.label) };
  const section = { type: 'section', text: plain(text) };
  return { channel, text, blocks: [section, { type: 'actions', elements: [button] }] };
}

function stepsText(server: string): string {
  const { hostname } = serverFrom(server);
  const site = hostname.endsWith('slack-gov.com') ? 'api.slack-gov.com' : 'api.slack.com';
  const manifest = encodeURIComponent(JSON.stringify(appManifest()));
  return `
1. Open this link, choose the workspace and press "Create". It contains the app's manifest, which "hookbell channel manifest" also prints:

https://${site}/apps?new_app=1&manifest_json=${manifest}

2. "Install App", "Install to Workspace": copy its "Bot User OAuth Token".
3. "Basic Information", "App-Level Tokens", "Generate", with the scope "connections:write": copy that token as well.
`;
}

function bind(server: string, token: string, { outbound, now }: SetUpGuide): CallSlack {
  return createCallSlack({ server: `${server}/api/`, token: new Secret(token) }, { outbound, now });
}

function soon({ signal }: SetUpGuide): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(CALL_MS)]);
}

function interrupted(): FailedError {
  return new FailedError('Setup was interrupted', { hint: 'Nothing was changed' });
}
