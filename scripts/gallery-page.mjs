// What a person sees of each kind of event on each channel, for docs/gallery.md: payloads go the way they go in the daemon (decoded,
// completed, decided upon, rendered) and through what each channel makes of them. Nothing is sent.
import { PassThrough } from 'node:stream';
import { completeEvent } from '../dist/src/agents/complete.js';
import { decodePayload } from '../dist/src/agents/decode.js';
import { traitsOf } from '../dist/src/agents/registry.js';
import { openSimulation } from '../dist/src/alerts/simulate.js';
import { openMemoryStore } from '../dist/src/store/open-store.js';
import { desktopOptions } from '../dist/src/channels/desktop/pop-up.js';
import { popUpOf } from '../dist/src/channels/desktop/pop-up.js';
import { notifyBody } from '../dist/src/channels/desktop/server-link.js';
import { contentOf, plainText } from '../dist/src/channels/email/content.js';
import { ntfyMessage } from '../dist/src/channels/ntfy/message.js';
import { renderMessage } from '../dist/src/channels/slack/slack-message.js';
import { notificationDocument } from '../dist/src/channels/support/notification-document.js';
import { terminalText } from '../dist/src/channels/support/notify-terminal.js';
import { printSessions } from '../dist/src/cli/commands/sessions.js';
import { createOutput } from '../dist/src/cli/output.js';
import { redactText } from '../dist/src/text/redact.js';
import { sessionView } from '../dist/src/control/views.js';
import { limitOver } from '../dist/src/daemon/time-watch.js';
import { createRenderer } from '../dist/src/delivery/render.js';
import { digestText } from '../dist/src/vendor/reports/digest-html.js';
import { notice, scenes } from './gallery-scenes.mjs';
import { sampleDigest } from '../dist/test/support/sample-digest.js';

const START = Date.UTC(2026, 3, 17, 9, 30);

/** The pictures of docs/images in each section, made by picture.mjs, with the text for readers who do not see them. */
const pictures = {
  'A permission: a command': [
    ['desktop', 'A pop-up: Claude Code needs a permission to publish a package'],
    ['mail', 'The same as a mail'],
    ['slack', 'The same as a message in Slack'],
  ],
  'A plan': [['desktop-plan', 'A pop-up with the first lines of the plan']],
  'A question': [['desktop-question', 'A pop-up with the question and its answers']],
  'A finished turn': [
    ['desktop-done', 'A pop-up with the time of the turn, the changed files and its last words'],
    ['mail-done', 'A mail in which the words of the agent are formatted'],
  ],
  'A failed turn': [['desktop-failed', 'A pop-up with a red frame and the reason']],
  'Several together': [['desktop-several', 'One pop-up for three permissions']],
};

/** @returns the generated part of the page */
export function galleryPart() {
  return inUtc(async () => {
    const shown = await galleryNotifications();
    return shown
      .map(({ name, notification, session }) => section(name, notification, session))
      .join('\n\n');
  });
}

/** What the page shows, in its order: the title of each section, its notification, and the session as it is then. */
export async function galleryNotifications() {
  const shown = [];
  for (const [name, agent, payloads, transcript] of scenes) {
    shown.push({ name, ...(await played(agent, payloads, transcript)) });
  }
  return [
    ...shown,
    { name: 'Several together', notification: summaryOf(shown.slice(0, 3)), session: null },
    { name: 'The usage limit is over', notification: overOf(shown), session: null },
    { name: 'A notice', notification: ownNotification('notice', notice), session: null },
    { name: 'A digest', notification: digestOf(await sampleDigest()), session: null },
  ];
}

/** The page shows times of day: on every machine the same. */
export async function inUtc(work) {
  const zone = process.env.TZ;
  process.env.TZ = 'UTC';
  try {
    return await work();
  } finally {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  }
}

const renderer = createRenderer({ origin: { user: 'ada', host: 'devbox' } });
const policy = {
  plans: {},
  routes: [],
  programChannels: [],
  quietHours: [],
  noise: { burst: { atOnce: 1, windowMs: 0 }, perSessionAnHour: 1, perChannelAnHour: 1, flapMs: 0 },
  expireAfterMs: 1,
  whenWatching: 'ring',
  holdStop: null,
  relay: null,
};

async function played(agent, payloads, transcript = []) {
  const simulation = await openSimulation({
    policy,
    agents: traitsOf,
    openStore: openMemoryStore,
  });
  let event = null;
  for (const { after = 0, ...payload } of payloads) {
    const at = START + after * 1_000;
    const bytes = Buffer.from(JSON.stringify(payload));
    const decoded = decodePayload({ payload: bytes, facts: { agent } });
    const received = { ...decoded.event, id: `e${after}`, at, receivedAt: at };
    const tail = transcript.map((line) => JSON.stringify(line)).join('\n');
    const whole = tail === '' ? received : completeEvent({ event: received, payload: bytes }, tail);
    event = (await simulation.feed(whole)).event ?? whole;
  }
  const session = await simulation.session(event.sessionKey);
  await simulation.close();
  return {
    event,
    session,
    notification: renderer.notification({ delivery, event, session, also: [] }),
  };
}

const delivery = {
  id: '01978a5e-0000-7000-8000-000000000001',
  channel: 'team',
  quietly: false,
  stillRunning: false,
  possibleDuplicate: false,
};

const severalSessions = [
  { project: 'shop', title: 'Fix the cart' },
  { project: 'till', title: 'Print the receipt' },
  { project: 'site', title: 'Explain the rounding' },
];

function summaryOf(shown) {
  const [first, ...others] = shown.map(({ event }, index) => ({
    ...event,
    id: `e${index}`,
    at: START + index,
    sessionKey: `claude:s${index}`,
    ...severalSessions[index],
  }));
  return renderer.notification({ delivery, event: first, session: null, also: others });
}

function digestOf(digest) {
  const [headline, ...details] = digestText(digest).split('\n');
  return ownNotification('digest', [headline, details.join('\n').trim()].join('\n'));
}

/** What follows the usage limit of a session above. */
function overOf(shown) {
  const { session } = shown.find(({ name }) => name === 'A usage limit');
  const { event } = limitOver('claude', [session], session.usageLimit.until + 60_000, () => null);
  return renderer.notification({ delivery, event, session: null, also: [] });
}

/** Of an event without a session. */
function ownNotification(kind, message) {
  const at = START;
  const event = {
    id: kind,
    at,
    receivedAt: at,
    machine: null,
    agent: 'service',
    event: kind,
    kind,
    sessionKey: `service:${kind}`,
    sessionId: null,
    cwd: null,
    project: null,
    message,
    tool: null,
    asked: null,
    reason: null,
    failed: false,
    title: null,
    subagent: false,
    facts: {},
    source: null,
  };
  return renderer.notification({ delivery, event, session: null, also: [] });
}

function section(name, notification, session) {
  const parts = [
    `## ${name}`,
    ...(pictures[name] ?? []).map(([file, text]) => `![${text}](images/${file}.png)`),
    ...named('Pop-up', popUp(notification)),
    ...named('Phone (ntfy)', phone(notification)),
    ...named('Terminal', terminal(notification)),
    ...named('Slack', slack(notification)),
    ...named('Mail, its text part', mail(notification)),
    ...(session === null ? [] : named('`hookbell sessions`', sessions(session, notification.at))),
    '<details><summary>The document that webhooks and commands get</summary>',
    block(JSON.stringify(notificationDocument(notification), null, 2), 'json'),
    '</details>',
  ];
  return parts.join('\n\n');
}

function named(name, text) {
  return [`${name}:`, block(text, 'text')];
}

function block(text, language) {
  return `\`\`\`\`${language}\n${text.trimEnd()}\n\`\`\`\``;
}

function popUp(notification) {
  const shown = popUpOf(notification, desktopOptions.parse({}));
  const body = notifyBody({
    popUp: shown,
    replaces: 0,
    capabilities: ['actions'],
    opensPages: false,
  });
  return `${shown.title}\n${shown.body}\n\n[${body[5][1]}]  urgency ${shown.urgency}, frame ${shown.colour}`;
}

function phone(notification) {
  const { title, message } = ntfyMessage(notification, 't', { request: null, actions: [] });
  return `${title}\n${message}`;
}

function terminal({ title: headline, body }) {
  const text = terminalText('osc777', { title: headline, body, key: 'k', bell: 'never' }, 'direct');
  // Between the name of the sequence and the bell that ends it.
  return text.slice(text.indexOf('notify;') + 'notify;'.length, -1).replace(';', '\n');
}

function slack(notification) {
  const { blocks, attachments } = renderMessage(notification, null);
  const texts = blocks.map(({ text }) => text.text);
  const [
    {
      color,
      blocks: [{ elements }],
    },
  ] = attachments;
  return [...texts, `${color} | ${elements.map(({ text }) => text).join('  ')}`]
    .join('\n\n')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

function mail(notification) {
  const content = contentOf(notification);
  return `Subject: ${content.title}\n\n${plainText(content)}`;
}

function sessions(session, at) {
  const stdout = new PassThrough();
  const output = createOutput({ stdout, stderr: stdout, quiet: false, verbose: false });
  printSessions(output, [sessionView(session, undefined, redactText, at)], at + 40_000);
  return String(stdout.read());
}
