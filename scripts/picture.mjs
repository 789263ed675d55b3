// Makes the pictures in docs/images: digest.png, a digest of invented days in Chromium, reply-page.png, the page of a real
// daemon on which an agent is answered, and desktop.png, the pop-up of a
// real hook and daemon on dunst, on a screen that nobody sees. Build first. Needs chromium, Xvfb, dunst, dbus-daemon,
// gdbus, import and convert (ImageMagick), and the font DejaVu Sans.
import { fileURLToPath } from 'node:url';
import { digestHtml } from '../dist/src/vendor/reports/digest-html.js';
import { startBrowser } from '../dist/test/support/browser.js';
import { drawPage } from '../dist/test/support/chromium.js';
import { startDesktopSession } from '../dist/test/support/desktop-session.js';
import { hookbellHome } from '../dist/test/support/hookbell-home.js';
import { replyPageHome } from '../dist/test/support/reply-page-home.js';
import { sampleDigest } from '../dist/test/support/sample-digest.js';

const digest = fileURLToPath(new URL('../docs/images/digest.png', import.meta.url));
await drawPage(digestHtml(await sampleDigest()), {
  scheme: 'light',
  width: 700,
  height: 2_620,
  picture: digest,
});
process.stdout.write(`Wrote "${digest}": look at it before you commit it\n`);

const replyPage = fileURLToPath(new URL('../docs/images/reply-page.png', import.meta.url));
const replies = await replyPageHome();
const link = await replies.link(
  'Which of the two plans shall I follow? The first one touches the till.',
);
const browser = await startBrowser({ width: 760, height: 720 });
await browser.open(link);
await browser.type('The second one. Leave the till alone, and run all tests first.');
await browser.picture(replyPage);
await browser[Symbol.asyncDispose]();
await replies[Symbol.asyncDispose]();
process.stdout.write(`Wrote "${replyPage}": look at it before you commit it\n`);

const picture = fileURLToPath(new URL('../docs/images/desktop.png', import.meta.url));

// Large letters, so that it can be read wherever the page is shown.
const dunstrc = `
[global]
width = 720
height = 400
origin = top-center
offset = 0x24
font = DejaVu Sans 20
padding = 26
horizontal_padding = 32
line_height = 6
frame_width = 4
separator_height = 0
icon_position = off
show_indicators = no
format = "<b>%s</b>\\n%b"
[urgency_critical]
background = "#1d2430"
foreground = "#eef2f7"
frame_color = "#f0a53a"
timeout = 0
`;

const session = await startDesktopSession('dunst', { dunstrc });
const place = await hookbellHome();
try {
  const { DISPLAY, DBUS_SESSION_BUS_ADDRESS } = session.env;
  Object.assign(place.env, { DISPLAY, DBUS_SESSION_BUS_ADDRESS });
  await place.start();
  const payload = {
    session_id: '5f1c02aa',
    cwd: '/home/dev/shop',
    hook_event_name: 'PermissionRequest',
    tool_name: 'Bash',
    tool_input: { command: 'npm publish --tag latest', description: 'Publish the release' },
  };
  const prompt = { ...payload, hook_event_name: 'UserPromptSubmit', prompt: 'Release the cart' };
  await place.hook(prompt, ['--agent', 'claude']);
  await place.hook(payload, ['--agent', 'claude']);
  await session.popUps(1);
  const screen = await session.screenshot('picture');
  await session.run('convert', screen, '-trim', '+repage', '-strip', picture);
  process.stdout.write(`Wrote "${picture}": look at it before you commit it\n`);
} finally {
  await place[Symbol.asyncDispose]();
  await session[Symbol.asyncDispose]();
}
