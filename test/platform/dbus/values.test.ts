import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  array,
  assert as assertProperty,
  bigInt,
  boolean as anyBoolean,
  constant,
  double,
  integer,
  letrec,
  nat,
  oneof,
  pre,
  property,
  string,
  tuple,
  uint8Array,
} from 'fast-check';
import { messageReader, encodeMessage } from '../../../src/platform/dbus/bus-message.ts';
import type { BusMessage } from '../../../src/platform/dbus/bus-message.ts';
import type { BusValue } from '../../../src/platform/dbus/bus-values.ts';
import { decodeValues, encodeValues } from '../../../src/platform/dbus/bus-values.ts';

const text = string({ unit: 'grapheme' }).map((one) => one.toWellFormed().replaceAll('\0', ''));
const scalar = oneof(
  tuple(constant('y'), nat(255)),
  tuple(constant('n'), integer({ min: -32_768, max: 32_767 })),
  tuple(constant('u'), nat()),
  tuple(constant('i'), integer()),
  tuple(constant('x'), bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
  tuple(constant('t'), bigInt({ min: 0n, max: 2n ** 64n - 1n })),
  tuple(constant('d'), double({ noNaN: true })),
  tuple(constant('b'), anyBoolean()),
  tuple(constant('s'), text),
);
/** A signature of one type, with a value of it. */
const { typed } = letrec<{ typed: [string, BusValue] }>((tie) => ({
  typed: oneof(
    { depthSize: 'small' },
    scalar,
    tuple(tie('typed'), nat(3)).map(([[type, value], count]): [string, BusValue] => [
      `a${type}`,
      Array.from({ length: count }, () => value),
    ]),
    array(tie('typed'), { minLength: 1, maxLength: 3 }).map((parts): [string, BusValue] => [
      `(${parts.map(([type]) => type).join('')})`,
      parts.map(([, value]) => value),
    ]),
    tie('typed').map(([signature, value]): [string, BusValue] => ['v', { signature, value }]),
  ),
}));

function read(
  bytes: Buffer,
  sizes: readonly number[] = [bytes.length],
): readonly BusMessage[] | null {
  const messages: BusMessage[] = [];
  const take = messageReader((message) => messages.push(message));
  let at = 0;
  for (let index = 0; at < bytes.length; index += 1) {
    const size = sizes[index % sizes.length] ?? 1;
    if (!take(bytes.subarray(at, at + size))) return null;
    at += size;
  }
  return messages;
}

test('encodeValues() and decodeValues() agree on every value', () => {
  assertProperty(
    property(array(typed, { maxLength: 4 }), (parts) => {
      const signature = parts.map(([type]) => type).join('');
      pre(signature.length < 200);
      const values = parts.map(([, value]) => value);

      const bytes = encodeValues(signature, values);

      assert.deepEqual(decodeValues(signature, bytes, true), { values, length: bytes.length });
    }),
  );
});

test('decodeValues() reads every number as the other byte order writes it', () => {
  const bytes = Buffer.alloc(60);
  bytes.writeInt16BE(-2, 0);
  bytes.writeUInt16BE(65_534, 2);
  bytes.writeInt32BE(-3, 4);
  bytes.writeUInt32BE(4_000_000_000, 8);
  bytes.writeBigInt64BE(-4n, 16);
  bytes.writeBigUInt64BE(2n ** 64n - 1n, 24);
  bytes.writeDoubleBE(0.1, 32);
  bytes.writeUInt8(7, 40);
  bytes.writeUInt32BE(1, 44);
  bytes.writeUInt32BE(5, 48);
  bytes.writeUInt32BE(1, 52);
  bytes.write('x\0', 56);

  const { values } = decodeValues('nqiuxtdybhs', bytes, false);

  const small = [-2, 65_534, -3, 4_000_000_000];
  assert.deepEqual(values, [...small, -4n, 2n ** 64n - 1n, 0.1, 7, true, 5, 'x']);
});

test('the longest signature is taken, and a longer one refused', () => {
  const bytes = Buffer.alloc(300, 1);

  assert.equal(decodeValues('y'.repeat(255), bytes, true).length, 255);
  for (const use of [
    () => decodeValues('y'.repeat(256), bytes, true),
    () =>
      encodeValues(
        'y'.repeat(256),
        Array.from({ length: 256 }, () => 1),
      ),
  ]) {
    assert.throws(use, { name: 'DBusFormatError', message: 'The signature is too long' });
  }
});

test('encodeValues() refuses a value that is not of its type', () => {
  for (const [signature, value] of [
    ['u', 'text'],
    ['s', 1],
    ['as', 'text'],
    ['v', 'text'],
    ['x', 1],
    ['(su)', ['text']],
  ] as const) {
    assert.throws(() => encodeValues(signature, [value]), TypeError);
  }
});

test('messageReader() finds the messages in pieces of any size', () => {
  const message: BusMessage = {
    type: 'signal',
    serial: 7,
    path: '/a',
    interface: 'a.b',
    member: 'C',
    sender: ':1.5',
    signature: 'us',
    body: [1, 'grüße 👍'],
  };
  const bytes = Buffer.concat([1, 2, 3].map((serial) => encodeMessage({ ...message, serial })));

  assertProperty(
    property(array(integer({ min: 1, max: 200 }), { minLength: 1 }), (sizes) => {
      assert.deepEqual(
        read(bytes, sizes),
        [1, 2, 3].map((serial) => ({ ...message, serial })),
      );
    }),
  );
});

test('messageReader() says of garbage that it is none, and never throws', () => {
  const whole = encodeMessage({
    type: 'signal',
    serial: 1,
    path: '/a',
    interface: 'a.b',
    member: 'C',
    signature: 'a{sv}as',
    body: [[['key', { signature: '(ias)', value: [1, ['x']] }]], ['y']],
  });
  const flips = array(tuple(nat(whole.length - 1), nat(255)), { maxLength: 6 });

  assertProperty(
    property(flips, (changes) => {
      const bytes = Buffer.from(whole);
      for (const [at, byte] of changes) bytes[at] = byte;
      read(bytes);
    }),
    { numRuns: 3_000 },
  );
  assertProperty(
    property(uint8Array({ maxLength: 200 }), (bytes) => void read(Buffer.from(bytes))),
  );
  assert.equal(read(Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')), null);
});

test('messageReader() refuses what would have no end, and keeps no long message', () => {
  const deep = `${'a'.repeat(200)}y`;
  const hostile = [`${'('.repeat(100)}y${')'.repeat(100)}`, 'a()', '()', '(', 'a', deep];
  for (const signature of hostile) {
    assert.throws(() => decodeValues(signature, Buffer.alloc(4_096), true), {
      name: 'DBusFormatError',
    });
  }
  const nested = Array.from({ length: 100 }).reduce<BusValue>(
    (value) => ({ signature: 'v', value }),
    {
      signature: 'y',
      value: 1,
    },
  );
  const small: BusMessage = { type: 'signal', serial: 2, signature: 's', body: ['small'] };
  const large: BusMessage = { ...small, serial: 1, body: ['x'.repeat(3_000_000)] };
  const bytes = Buffer.concat([large, small].map(encodeMessage));

  assert.equal(read(encodeMessage({ ...small, signature: 'v', body: [nested] })), null);
  assert.deepEqual(read(bytes, [65_536]), [small]);
});
