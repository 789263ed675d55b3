import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { timeOrderedId } from '../../src/platform/crypto.ts';

const bytes = fc.uint8Array({ minLength: 10, maxLength: 10 });
const time = fc.integer({ min: 0, max: 2 ** 48 - 1 });

describe('timeOrderedId()', () => {
  test('puts time, version and variant where RFC 9562 wants them', () => {
    // The example of RFC 9562, appendix A.6.
    const random = Uint8Array.of(0xcc, 0x38, 0xc4, 0xdc, 0x0c, 0x0c, 0x07, 0x39, 0x8f, 0x00);

    const id = timeOrderedId(0x017f22e279b0, random);

    assert.match(id, /^017f22e2-79b0-7cc3-/);
    assert.equal(timeOrderedId(0, new Uint8Array(10)), '00000000-0000-7000-8000-000000000000');
    assert.equal(
      timeOrderedId(2 ** 48 - 1, new Uint8Array(10).fill(255)),
      'ffffffff-ffff-7fff-bfff-ffffffffffff',
    );
  });

  test('is a UUIDv7 for any time and randomness', () => {
    fc.assert(
      fc.property(time, bytes, (now, random) => {
        assert.match(
          timeOrderedId(now, random),
          /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
        );
      }),
    );
  });

  test('sorts by time as text', () => {
    fc.assert(
      fc.property(time, time, bytes, bytes, (left, right, leftRandom, rightRandom) => {
        fc.pre(left !== right);

        assert.equal(
          timeOrderedId(left, leftRandom) < timeOrderedId(right, rightRandom),
          left < right,
        );
      }),
    );
  });

  test('uses 74 random bits: a change of any of the first nine bytes changes the id', () => {
    const plain = timeOrderedId(1, new Uint8Array(10));
    for (let index = 0; index < 9; index += 1) {
      const random = new Uint8Array(10);
      random[index] = 1;

      assert.notEqual(timeOrderedId(1, random), plain, `byte ${index}`);
    }
  });
});
