import assert from 'node:assert/strict';
import { test } from 'node:test';

import { digestHtml } from '../../../src/vendor/reports/digest-html.ts';
import { coloursIn, drawPage } from '../../support/chromium.ts';
import { sampleDigest } from '../../support/sample-digest.ts';
import { needs } from '../../support/system-part.ts';

const skip = needs('chromium', 'convert');

for (const { scheme, card, track } of [
  { scheme: 'light', card: '#FFFFFF', track: '#D8DEE4' },
  { scheme: 'dark', card: '#161B22', track: '#30363D' },
] as const) {
  test(`digestHtml() is drawn with its bars on a ${scheme} card`, { skip }, async () => {
    const html = digestHtml(await sampleDigest());

    const size = { width: 700, height: 2_250 };
    const colours = await coloursIn(
      await drawPage(html, { scheme, ...size, picture: `digest-${scheme}.png` }),
    );

    assert.match(colours, new RegExp(card));
    assert.match(colours, new RegExp(track));
    const bars = Number(/(\d+): \([^)]*\) #0969DA/.exec(colours)?.[1] ?? 0);
    assert.ok(bars > 10_000, `${bars} pixels belong to bars`);
  });
}
