import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { contentOf } from '../../../src/channels/email/content.ts';
import { htmlText } from '../../../src/channels/email/html.ts';
import type { Severity } from '../../../src/core/notification.ts';
import { sampleNotification } from '../../support/sample.ts';
import { needs } from '../../support/system-part.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const run = promisify(execFile);
const artifacts = fileURLToPath(new URL('../../../../artifacts/', import.meta.url));
const skip = needs('chromium', 'convert');

for (const { severity, scheme, bar, card } of [
  { severity: 'warning', scheme: 'light', bar: '#BF8700', card: '#FFFFFF' },
  { severity: 'critical', scheme: 'dark', bar: '#CF222E', card: '#161B22' },
] as const) {
  test(`htmlText() is drawn with its "${severity}" bar on a ${scheme} card`, { skip }, async () => {
    const html = htmlText(contentOf(hostileNotification(severity)));

    const colours = await coloursDrawn(html, { scheme, picture: `mail-${scheme}.png` });

    assert.match(colours, new RegExp(bar));
    assert.match(colours, new RegExp(card));
    // The picture of the hostile text would be pure green.
    assert.doesNotMatch(colours, /#00FF00/);
  });
}

function hostileNotification(severity: Severity): ReturnType<typeof sampleNotification> {
  return sampleNotification({
    severity,
    title: 'shop: may I run "npm publish --access public"? ⏳',
    body: `npm publish --access public

  • runs in /home/dev/shop, <b>no markup</b>
  • Ünïcödé, 日本語, עברית
  </td></tr></table><div style="background:#00ff00;height:200px"></div>
  ${'a-very-long-word'.repeat(10)}`,
    sessionTitle: 'Release 2.0 & "more"',
    durationMs: 125_000,
    possibleDuplicate: true,
  });
}

/** Draws a page in Chromium, keeps the picture in artifacts/ and lists the colours in it. */
async function coloursDrawn(
  html: string,
  { scheme, picture }: { scheme: 'light' | 'dark'; picture: string },
): Promise<string> {
  await using directory = await temporaryDirectory();
  const page = join(directory.path, 'mail.html');
  await writeFile(page, html);
  await mkdir(artifacts, { recursive: true });
  const target = join(artifacts, picture);
  await run('chromium', [
    ...'--headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=700,560'.split(' '),
    `--blink-settings=preferredColorScheme=${scheme === 'dark' ? 0 : 1}`,
    `--user-data-dir=${join(directory.path, 'chromium')}`,
    `--screenshot=${target}`,
    `file://${page}`,
  ]);
  const { stdout } = await run('convert', [
    target,
    '-depth',
    '8',
    '-format',
    '%c',
    'histogram:info:-',
  ]);
  return stdout;
}
