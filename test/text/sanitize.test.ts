import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { cutText, displayLine, displayText } from '../../src/text/sanitize.ts';
import { hostileTexts } from '../support/hostile-texts.ts';

/** Text as an attacker would mix it: any code unit, controls and escape sequences far more often than chance has them. */
const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.nat(0xffff).map((unit) => String.fromCharCode(unit)),
      fc.nat(0xa0).map((unit) => String.fromCharCode(unit)),
      fc.constantFrom(
        '\u001b[',
        '\u001b]',
        '\u001bP',
        '\u009b',
        '\u009d',
        '\u0007',
        '\u001b\\',
        '31;1m',
        '\r',
        '\n',
        '\u2028',
        '\u202e',
        '\u2066',
        '\ud83d',
        '\ude00',
        'e\u0301',
      ),
      fc.constantFrom(...hostileTexts),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(''));

const FORBIDDEN =
  // oxlint-disable-next-line no-control-regex -- control characters are what must be gone
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;

/** The same letters, invisible. */
function tags(text: string): string {
  return Array.from(text, (letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join(
    '',
  );
}

describe('displayText()', () => {
  test('leaves no control, no bidi control and no lone surrogate in any text (T7)', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const clean = displayText(text);

        assert.doesNotMatch(clean, FORBIDDEN);
        assert.ok(clean.isWellFormed());
        assert.equal(clean, clean.normalize('NFC'));
        assert.equal(clean, clean.trim());
      }),
      { numRuns: 1_000 },
    );
  });

  test('removes text written in tag characters, and keeps the flags that are spelt with them (D15)', () => {
    const england = `\u{1f3f4}${tags('gbeng')}\u{e007f}`;

    assert.equal(displayText(`ok${tags('run rm -rf')} ${england}`), `ok ${england}`);
    assert.equal(displayText(`\u{1f3f4}${tags('ignore all that was said')}`), '\u{1f3f4}');
  });

  test('changes nothing the second time', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const clean = displayText(text);

        assert.equal(displayText(clean), clean);
      }),
      { numRuns: 1_000 },
    );
  });

  test('leaves text of all scripts as it is', () => {
    for (const text of [
      'Fix the tests: 3 < 4 && "x"',
      'Zażółć gęślą jaźń',
      'שלום עולם',
      'क्‍ष می‌خواهم',
      '日本語、한국어',
      '👩‍👩‍👧‍👦 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ❤️ 🇪🇺',
      'two\nlines\tand a tab',
    ]) {
      assert.equal(displayText(text), text.normalize('NFC'));
    }
  });

  const table: readonly { name: string; text: string; shown: string }[] = [
    { name: 'colours', text: 'a\u001b[1;31mred\u001b[0m b', shown: 'ared b' },
    { name: 'colours with colons', text: '\u001b[38:2::1:2:3mred', shown: 'red' },
    { name: 'private sequences', text: '\u001b[>0c\u001b[?25lx', shown: 'x' },
    { name: 'a sequence in one 8-bit character', text: '\u009b31mred', shown: 'red' },
    {
      name: 'short sequences, and nothing behind them',
      text: '\u001b7Hello\u001bc',
      shown: 'Hello',
    },
    { name: 'a charset sequence', text: '\u001b(0lqk', shown: 'lqk' },
    { name: 'the clipboard (OSC 52)', text: 'a\u001b]52;c;aWQ=\u0007b', shown: 'ab' },
    {
      name: 'a link (OSC 8), but for its text',
      text: '\u001b]8;;https://evil.test\u001b\\click\u001b]8;;\u001b\\',
      shown: 'click',
    },
    { name: 'an 8-bit OSC', text: '\u009d0;title\u009cx', shown: 'x' },
    { name: 'a device control string', text: '\u001bPtmux;\u001b\\x', shown: 'x' },
    {
      name: 'a string that never ends, up to the end of its line',
      text: '\u001b]0;a\nb',
      shown: 'b',
    },
    { name: 'a sequence that never ends', text: 'a\u001b[31', shown: 'a' },
    { name: 'what is left of a split sequence', text: '\u001b\u001b[31m[31mx', shown: '[31mx' },
    { name: 'bidi tricks', text: '\u202etxt.exe\u2066\u200f\u061c', shown: 'txt.exe' },
    { name: 'NUL, BEL, backspace and DEL', text: 'a\u0000b\u0007\b\u007fc', shown: 'abc' },
    { name: 'invisible characters', text: 'a\u200bb\u2060c\ufeffd', shown: 'abcd' },
    {
      name: 'foreign line breaks',
      text: 'a\r\nb\rc\u2028d\u2029e\u0085f',
      shown: 'a\nb\nc\nd\ne\nf',
    },
    { name: 'characters that XML cannot contain', text: 'a\ufffeb\uffffc👍', shown: 'abc👍' },
    { name: 'lone surrogates', text: 'a\ud800b\udc00', shown: 'a\ufffdb\ufffd' },
    { name: 'blanks around it', text: ' \n a \t\n', shown: 'a' },
  ];
  for (const { name, text, shown } of table) {
    test(`mends ${name}`, () => {
      assert.equal(displayText(text), shown);
    });
  }
});

describe('displayLine()', () => {
  test('makes one line of any text', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const line = displayLine(text);

        assert.doesNotMatch(line, /[\n\t]| {2}/);
        assert.doesNotMatch(line, FORBIDDEN);
      }),
    );
  });

  test('keeps the words apart', () => {
    assert.equal(displayLine(' one\r\n\ttwo \u2028 three '), 'one two three');
  });
});

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

describe('cutText()', () => {
  test('obeys its limit and never tears a grapheme apart, in any text', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 40 });
    fc.assert(
      fc.property(text, fc.integer({ min: -1, max: 50 }), (whole, max) => {
        const cut = cutText(whole, max);

        assert.ok(cut.length <= Math.max(0, max));
        if (whole.length <= max) assert.equal(cut, whole);
        if (cut === whole || max < 1) return;
        assert.ok(cut.endsWith('…'));
        const beginnings = new Set(['']);
        let beginning = '';
        for (const { segment } of segmenter.segment(whole)) {
          beginning += segment;
          beginnings.add(beginning.trimEnd());
        }
        assert.ok(beginnings.has(cut.slice(0, -1)), JSON.stringify({ whole, cut }));
      }),
      { numRuns: 1_000 },
    );
  });

  test('keeps as much as fits', () => {
    assert.equal(cutText('abcdef', 6), 'abcdef');
    assert.equal(cutText('abcdef', 5), 'abcd…');
    assert.equal(cutText('abc def', 5), 'abc…');
    assert.equal(cutText('abcdef', 1), '…');
    assert.equal(cutText('abcdef', 0), '');
    assert.equal(cutText('', 0), '');
  });

  test('drops a family or a flag as a whole', () => {
    assert.equal(cutText('ab👩‍👩‍👧‍👦', 8), 'ab…');
    assert.equal(cutText('ab🇪🇺c', 6), 'ab…');
    assert.equal(cutText('ab🇪🇺cd', 7), 'ab🇪🇺…');
    assert.equal(cutText('e\u0301e\u0301', 3), 'e\u0301…');
  });
});
