// The terminal of a real `hookbell demo` as an animated picture of text, for scripts/picture.mjs. Its lines appear when they did.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { escapeHtml } from '../dist/src/text/escape.js';
import { typedCommand } from '../dist/test/support/typed-command.js';

const ROWS = 18;
const COLUMNS = 104;
const LINE = 20;
const WIDTH = 900;
const TOP = 36;
/** The last screen stays this long before the picture begins again, s. */
const PAUSE = 4;

/** Returns the picture as SVG. */
export async function demoPicture() {
  const home = mkdtempSync(join(tmpdir(), 'hookbell-demo-'));
  try {
    return drawing(await record(home));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** The lines of the demo, each with the second at which it appeared. */
async function record(home) {
  const cli = fileURLToPath(new URL('../dist/program/cli.js', import.meta.url));
  const env = { HOME: home, PATH: process.env.PATH, LANG: 'C.UTF-8' };
  const command = typedCommand(`${process.execPath} ${cli} demo`, env);
  const startedAt = performance.now();
  const lines = [{ text: '$ hookbell demo', at: 0 }];
  const ended = command.ended().then(() => true);
  for (;;) {
    const isOver = await Promise.race([ended, delay(40, false)]);
    const at = (performance.now() - startedAt) / 1_000;
    const shown = command.screen().split(/\r?\n/);
    for (const text of shown.slice(lines.length - 1, -1)) lines.push({ text, at });
    if (isOver) return lines;
  }
}

/** Scrolls as a terminal does: all lines move up by one when the next appears below the last row. */
function drawing(lines) {
  const total = lines.at(-1).at + PAUSE;
  const percent = (at) => `${((at / total) * 100).toFixed(2)}%`;
  const rows = lines.map(({ text }, index) => row(text, index));
  const appear = lines.map(
    ({ at }, index) =>
      `.a${index}{animation-name:k${index}}@keyframes k${index}{0%{opacity:0}${percent(at)}{opacity:1}}`,
  );
  const scroll = lines
    .slice(ROWS)
    .map(({ at }, index) => `${percent(at)}{transform:translateY(-${(index + 1) * LINE}px)}`);
  const height = TOP + ROWS * LINE + 12;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="ui-monospace,'SF Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="13">
<title>The terminal while "hookbell demo" runs</title>
<style>text{white-space:pre;fill:#d7dce4}.h{fill:#fff;font-weight:600}.d{fill:#8b95a5}.s{fill:#f3b15c}.g{fill:#62d394}g g,.scroll{animation-duration:${total.toFixed(1)}s;animation-timing-function:steps(1);animation-iteration-count:infinite}.scroll{animation-name:scroll}@keyframes scroll{0%{transform:none}${scroll.join('')}}${appear.join('')}@media(prefers-reduced-motion:reduce){*{animation:none!important}}</style>
<clipPath id="screen"><rect y="${TOP - 6}" width="${WIDTH}" height="${ROWS * LINE + 10}"/></clipPath>
<rect width="${WIDTH}" height="${height}" rx="10" fill="#12161c"/>
<g fill="#39414d"><circle cx="20" cy="17" r="5"/><circle cx="37" cy="17" r="5"/><circle cx="54" cy="17" r="5"/></g>
<g clip-path="url(#screen)"><g class="scroll">
${rows.join('\n')}
</g></g>
</svg>
`;
}

function row(text, index) {
  const cut = text.length > COLUMNS ? `${text.slice(0, COLUMNS - 1)}…` : text;
  const y = TOP + 10 + index * LINE;
  return `<g class="a${index}"><text x="20" y="${y}"${toneOf(text)}>${escapeHtml(cut)}</text></g>`;
}

function toneOf(text) {
  if (text.startsWith('$')) return ' class="g"';
  if (text.includes('🔔')) return ' class="s"';
  if (/^\s{10}/.test(text)) return ' class="d"';
  return /^\S/.test(text) ? ' class="h"' : '';
}
