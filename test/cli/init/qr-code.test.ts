import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';

import { qrCode } from '../../../src/cli/init/qr-code.ts';
import { scanQrCode } from '../../support/qr-scanner.ts';
import { needs } from '../../support/system-part.ts';

const wide = { columns: 80, rows: 24, colours: true };

test(
  'qrCode() draws what a scanner reads, black on white on every line',
  { skip: needs('zbarimg') },
  async () => {
    for (const text of [
      'ntfy://ntfy.sh/hookbell-23456789',
      `https://example.com/${'x'.repeat(40)}`,
    ]) {
      const code = (await qrCode(text, wide)) ?? '';

      for (const line of code.split('\n'))
        assert.ok(line.startsWith('\u001b[38;5;16;48;5;231m') && line.endsWith('\u001b[0m'));
      assert.equal(await scanQrCode(stripVTControlCharacters(code)), text);
    }
  },
);

test('qrCode() draws nothing on a terminal that is too small or without colours', async () => {
  const text = 'ntfy://ntfy.sh/hookbell-23456789';

  assert.equal(await qrCode(text, { ...wide, columns: 30 }), null);
  assert.equal(await qrCode(text, { ...wide, rows: 10 }), null);
  assert.equal(await qrCode(text, { ...wide, colours: false }), null);
});
