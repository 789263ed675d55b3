// Makes the pictures in docs/images: pop-ups on a real dunst, on a virtual screen; mails, a message for Slack and a
// digest in Chromium; the pages of a real daemon; and the demo as an animation. Arguments are names of pictures; without
// any, all are made. Build first. Needs chromium, Xvfb, dunst, dbus-daemon, gdbus, import and convert (ImageMagick), and the
// font DejaVu Sans.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { contentOf, htmlText } from '../dist/src/channels/email/content.js';
import { renderMessage } from '../dist/src/channels/slack/slack-message.js';
import { digestHtml } from '../dist/src/vendor/reports/digest-html.js';
import { createDesktop } from '../dist/test/channels/desktop/bus-stage.js';
import { send } from '../dist/test/channels/conformance.js';
import { startBrowser } from '../dist/test/support/browser.js';
import { drawPage } from '../dist/test/support/chromium.js';
import { startDesktopSession } from '../dist/test/support/desktop-session.js';
import { hookbellHome } from '../dist/test/support/hookbell-home.js';
import { replyPageHome } from '../dist/test/support/reply-page-home.js';
import { sampleDigest } from '../dist/test/support/sample-digest.js';
import { demoPicture } from './demo-picture.mjs';
import { galleryNotifications, inUtc } from './gallery-page.mjs';
import { scenes } from './gallery-scenes.mjs';
import { drawPageIcons } from './page-icons.mjs';
import { drawPagePicture, drawRequestsPicture, drawWaitingPicture } from './page-pictures.mjs';
import { slackPage } from './slack-page.mjs';

const images = fileURLToPath(new URL('../docs/images/', import.meta.url));
const shown = new Map(
  (await galleryNotifications()).map(({ name, notification }) => [name, notification]),
);
const permission = shown.get('A permission: a command');
const done = shown.get('A finished turn');

// Large letters, so that it can be read wherever the page is shown. The colour of the frame is hookbell's.
const dunstrc = `
[global]
width = 780
height = 400
origin = top-center
offset = 0x24
font = DejaVu Sans 15
padding = 20
horizontal_padding = 22
line_height = 4
frame_width = 4
separator_height = 0
icon_position = left
min_icon_size = 64
max_icon_size = 64
text_icon_padding = 22
show_indicators = no
format = "<b>%s</b>\\n%b"
[urgency_low]
background = "#1d2430"
foreground = "#eef2f7"
timeout = 0
[urgency_normal]
background = "#1d2430"
foreground = "#eef2f7"
timeout = 0
[urgency_critical]
background = "#1d2430"
foreground = "#eef2f7"
timeout = 0
`;

const makers = {
  desktop: () => onDesktop('desktop', hookedPermission),
  'desktop-plan': () => popUp('desktop-plan', 'A plan'),
  'desktop-question': () => popUp('desktop-question', 'A question'),
  'desktop-done': () => popUp('desktop-done', 'A finished turn'),
  'desktop-failed': () => popUp('desktop-failed', 'A failed turn'),
  'desktop-several': () => popUp('desktop-several', 'Several together'),
  mail: () => page('mail', htmlText(contentOf(permission)), { width: 640, height: 700 }),
  'mail-done': () => page('mail-done', htmlText(contentOf(done)), { width: 640, height: 800 }),
  slack: () =>
    page('slack', slackPage(renderMessage(permission, null)), { width: 700, height: 400 }),
  digest: async () =>
    page('digest', digestHtml(await sampleDigest()), { width: 700, height: 3_400 }),
  'reply-page': replyPage,
  page: () => ofPage('page', drawPagePicture, { width: 1280, height: 1330, scheme: 'light' }),
  'page-dark': () =>
    ofPage('page-dark', drawPagePicture, { width: 1280, height: 1330, scheme: 'dark' }),
  'page-waiting': () =>
    ofPage('page-waiting', drawWaitingPicture, { width: 1280, height: 940, scheme: 'light' }),
  'page-requests': () =>
    ofPage('page-requests', drawRequestsPicture, { width: 1280, height: 1250, scheme: 'light' }),
  icons: () => drawPageIcons(scratch),
  demo: async () => {
    const file = `${images}demo.svg`;
    writeFileSync(file, await demoPicture());
    process.stdout.write(`Wrote "${file}", ${statSync(file).size} bytes: look at it first\n`);
  },
};

const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(makers);
const unknown = wanted.filter((name) => makers[name] === undefined);
if (unknown.length > 0) {
  throw new Error(`No picture "${unknown[0]}", expected ${Object.keys(makers).join(', ')}`);
}
const scratch = mkdtempSync(join(tmpdir(), 'hookbell-pictures-'));
try {
  for (const name of wanted) await inUtc(makers[name]);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** A pop-up by a real hook and daemon. */
async function hookedPermission({ env: { DISPLAY, DBUS_SESSION_BUS_ADDRESS } }) {
  const place = await hookbellHome();
  Object.assign(place.env, { DISPLAY, DBUS_SESSION_BUS_ADDRESS });
  await place.start();
  const [, agent, [payload]] = scenes[0];
  await place.hook(payload, ['--agent', agent]);
  return place;
}

/** A pop-up of the gallery by the channel itself. */
function popUp(name, title) {
  return onDesktop(name, async ({ env }) => {
    const channel = await createDesktop({}, { env });
    await send({ channel }, shown.get(title));
    return { [Symbol.asyncDispose]: () => channel.close() };
  });
}

/** @param show makes one pop-up appear; what it returns is disposed of after the picture */
async function onDesktop(name, show) {
  const session = await startDesktopSession('dunst', { dunstrc });
  const shower = await show(session);
  try {
    await session.popUps(1);
    keep(await session.screenshot('picture'), name);
  } finally {
    await shower[Symbol.asyncDispose]();
    await session[Symbol.asyncDispose]();
  }
}

async function page(name, html, size) {
  const picture = join(scratch, `${name}.png`);
  await drawPage(html, { scheme: 'light', ...size, picture });
  keep(picture, name);
}

async function replyPage() {
  const replies = await replyPageHome();
  const link = await replies.link(
    'Which of the two plans shall I follow? The first one touches the till.',
  );
  const browser = await startBrowser({ width: 760, height: 720 });
  const picture = join(scratch, 'reply-page.png');
  await browser.open(link);
  await browser.type('The second one. Leave the till alone, and run all tests first.');
  await browser.picture(picture);
  await browser[Symbol.asyncDispose]();
  await replies[Symbol.asyncDispose]();
  keep(picture, 'reply-page');
}

/** A window as it is. */
async function ofPage(name, draw, size) {
  const picture = join(scratch, `${name}.png`);
  await draw(picture, size);
  keep(picture, name, []);
}

/** With a narrow margin, and with as few colours as letters and bars need: a reader loads them all with a page. */
function keep(picture, name, trim = ['-trim', '+repage']) {
  const file = `${images}${name}.png`;
  const margin = name === 'slack' ? ['-bordercolor', 'white', '-border', '16'] : [];
  const colours = ['+dither', '-colors', '64', '-define', 'png:compression-level=9'];
  execFileSync('convert', [picture, ...trim, ...margin, '-strip', ...colours, `PNG8:${file}`]);
  process.stdout.write(`Wrote "${file}", ${statSync(file).size} bytes: look at it first\n`);
}
