import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import * as fc from 'fast-check';

import { isEnvelopeName, parseEnvelope } from '../../src/intake/envelope.ts';
import { envelopeBytes } from '../support/envelopes.ts';

const name = '0b9e6f3a-5d1c-4f5e-9a4e-1f0c2d3e4f5a';

function problemOf(bytes: string | Buffer): string | null {
  const parsed = parseEnvelope(name, Buffer.from(bytes));
  return 'problem' in parsed ? parsed.problem : null;
}

function factsOf(header: string): object {
  const parsed = parseEnvelope(
    name,
    Buffer.from(`hookbell 1\n${header}\n{}\nhookbell-end ${name}\n`),
  );
  assert.ok('facts' in parsed);
  return parsed.facts;
}

describe('parseEnvelope()', () => {
  test('returns facts and the payload byte for byte', () => {
    const payload = Buffer.from([0x7b, 0x00, 0xff, 0x0d, 0x0a, 0x0a, 0x0a, 0x7d, 0x0a]);
    const facts = { agent: 'droid', pid: '42', droid_project_dir: '/home/dev/naïve=1' };

    const parsed = parseEnvelope(name, envelopeBytes(name, payload, facts));

    assert.deepEqual(parsed, { facts, payload, complete: true });
  });

  test('an envelope without facts and payload is one', () => {
    const parsed = parseEnvelope(name, envelopeBytes(name, ''));

    assert.deepEqual(parsed, { facts: {}, payload: Buffer.alloc(0), complete: true });
  });

  test('only the last line is the marker, and only with the name of the file (T16)', () => {
    const payload = `{}\nhookbell-end ${name}\nhookbell 1\nagent=codex\n\n{}`;

    const own = parseEnvelope(name, envelopeBytes(name, payload));
    const other = parseEnvelope(name, envelopeBytes(name.replace('0', '1'), payload));

    assert.deepEqual(own, { facts: {}, payload: Buffer.from(payload), complete: true });
    assert.ok('complete' in other);
    assert.equal(other.complete, false);
  });

  test('takes known keys only, and the first of each (T16, fault 53)', () => {
    assert.deepEqual(factsOf('agent=droid\nagent=codex\n__proto__=x\nAGENT=y\nsecret=z\n'), {
      agent: 'droid',
    });
  });

  test('a value with control characters or over 1 KB counts for nothing, nor does a later one (T16)', () => {
    assert.deepEqual(
      factsOf(`agent=dro\u001bid\nagent=codex\ntty=${'x'.repeat(1_025)}\ntmux=\n`),
      {},
    );
  });

  const problems: readonly (readonly [string, string, string])[] = [
    ['no byte', '', 'empty'],
    ['a part of the first line', 'hookb', 'truncated'],
    ['a header without end', 'hookbell 1\nagent=droid\n', 'truncated'],
    ['a later version', 'hookbell 2\n\n{}', 'bad-envelope'],
    ['a bare payload', '{"hook_event_name":"Stop"}', 'bad-envelope'],
    ['zeros, as after a power cut', '\0'.repeat(40), 'bad-envelope'],
    ['a header line that is none', 'hookbell 1\nagent\n\n{}', 'bad-envelope'],
    ['65 header lines', `hookbell 1\n${'x=1\n'.repeat(65)}\n{}`, 'bad-envelope'],
    ['a header of 128 KB', `hookbell 1\nx=${'1'.repeat(128 * 1024)}`, 'bad-envelope'],
  ];
  for (const [what, bytes, problem] of problems) {
    test(`${what} is not an envelope: ${problem} (faults 17, 18, 22)`, () => {
      assert.equal(problemOf(bytes), problem);
    });
  }

  test('a value of 1 KB is kept, and a header of almost 128 KB read', () => {
    const tty = 'x'.repeat(1_024);
    assert.deepEqual(factsOf(`tty=${tty}\n`), { tty });
    const around = 'hookbell 1\nx=\n\n'.length;
    const header = (size: number) => `hookbell 1\nx=${'1'.repeat(size - around)}\n\n`;

    assert.equal(problemOf(header(131_072)), null);
    assert.equal(problemOf(header(131_073)), 'bad-envelope');
    assert.equal(problemOf(header(131_073).slice(0, 131_071)), 'truncated');
    assert.equal(problemOf(header(131_073).slice(0, 131_072)), 'bad-envelope');
  });

  test('a line without a key is none of a header', () => {
    assert.equal(problemOf('hookbell 1\n=x\n\n{}'), 'bad-envelope');
    assert.deepEqual(factsOf('x=\n'), {});
  });

  test('64 header lines are allowed', () => {
    assert.deepEqual(factsOf('x=1\n'.repeat(63) + 'agent=droid\n'), { agent: 'droid' });
  });

  test('cut at every byte it is never whole, and never shows more than a part of the payload (fault 17)', () => {
    const payload = '{"hook_event_name":"Stop","x":"\\"}\\n"}';
    const whole = envelopeBytes(name, payload, { agent: 'claude', pid: '1' });

    for (let end = 0; end < whole.length; end += 1) {
      const parsed = parseEnvelope(name, whole.subarray(0, end));

      if ('problem' in parsed) continue;
      assert.equal(parsed.complete, false, `cut at ${end}`);
      assert.ok(`${payload}\n`.startsWith(Buffer.from(parsed.payload).toString()), `cut at ${end}`);
    }
  });

  test('never throws, whatever the bytes (fault 46)', () => {
    const pieces = fc.constantFrom(
      'hookbell 1\n',
      '\n',
      '\r\n',
      'agent=x\n',
      `\nhookbell-end ${name}\n`,
      '\0',
    );
    const bytes = fc
      .array(fc.oneof(pieces, fc.string()), { maxLength: 12 })
      .map((parts) => Buffer.from(parts.join('')));
    fc.assert(
      fc.property(
        fc.oneof(
          bytes,
          fc.uint8Array().map((input) => Buffer.from(input)),
        ),
        (input) => {
          parseEnvelope(name, input);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('isEnvelopeName()', () => {
  const names: readonly (readonly [string, boolean])[] = [
    [name, true],
    ['0123456789abcdef0123456789abcdef', true],
    ['0'.repeat(15), false],
    ['0'.repeat(16), true],
    ['0'.repeat(64), true],
    ['0'.repeat(65), false],
    ['../0123456789abcdef', false],
    [name.toUpperCase(), false],
    [`${name}.tmp`, false],
  ];
  for (const [candidate, isOne] of names) {
    test(`${candidate}: ${isOne}`, () => assert.equal(isEnvelopeName(candidate), isOne));
  }
});
