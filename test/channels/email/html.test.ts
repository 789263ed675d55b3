import assert from 'node:assert/strict';
import { test } from 'node:test';

import { contentOf, htmlText } from '../../../src/channels/email/content.ts';
import type { Severity } from '../../../src/core/notification.ts';
import { coloursIn, drawPage } from '../../support/chromium.ts';
import { sampleNotification } from '../../support/sample.ts';
import { needs } from '../../support/system-part.ts';

const skip = needs('chromium', 'convert');

for (const { severity, scheme, bar, card } of [
  { severity: 'warning', scheme: 'light', bar: '#8250DF', card: '#FFFFFF' },
  { severity: 'critical', scheme: 'dark', bar: '#CF222E', card: '#161B22' },
] as const) {
  test(`htmlText() is drawn with its "${severity}" bar on a ${scheme} card`, { skip }, async () => {
    const html = htmlText(contentOf(hostileNotification(severity)));

    const size = { width: 700, height: 560 };
    const colours = await coloursIn(
      await drawPage(html, { scheme, ...size, picture: `mail-${scheme}.png` }),
    );

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
