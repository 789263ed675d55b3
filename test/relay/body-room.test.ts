import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { createBodyRoom } from '../../src/relay/body-room.ts';
import { SMALL_BODY } from '../../src/relay/entrance.ts';
import { MAX_BODY } from '../../src/relay/wire.ts';

const SMALL_ONES = 128;

const nothing = (): void => {};

function sender(name: string, owner = name) {
  return { name, owner };
}

/** A room in which small bodies have all of their memory. */
function fullRoom({ now = () => 0, cancel = nothing } = {}) {
  const room = createBodyRoom(now);
  const held = Array.from({ length: SMALL_ONES }, (_, index) => {
    const reservation = room.reserve(sender(`m${index}`), SMALL_BODY, cancel);
    assert.ok(reservation !== null, `body ${index} is refused`);
    return reservation;
  });
  return { room, held };
}

describe('createBodyRoom()', () => {
  it('refuses a body more than fits, and takes one for each that is released', () => {
    const { room, held } = fullRoom();

    assert.equal(room.reserve(sender('late'), SMALL_BODY, nothing), null);

    held[0]?.release();
    // A second release of the same body frees nothing.
    held[0]?.release();
    assert.ok(room.reserve(sender('late'), SMALL_BODY, nothing));
    assert.equal(room.reserve(sender('later'), SMALL_BODY, nothing), null);
  });

  it('is empty again after thousands of bodies, however they ended', () => {
    let now = 0;
    const room = createBodyRoom(() => now);
    const sizes = [1, 700, SMALL_BODY, SMALL_BODY + 1, MAX_BODY / 4];
    for (let count = 0; count < 5_000; count += 1) {
      now += 37;
      const size = sizes[count % sizes.length] ?? 1;
      const body = room.reserve(sender(`m${count % 90}`, `p${count % 7}`), size, nothing);
      const isComplete = count % 3 === 0;
      if (isComplete) body?.keep();
      // A few senders never finish theirs.
      if (isComplete || count % 90 >= 4) body?.release();
    }
    // Those that were left unfinished have given way, or do so now.
    now += 60_000;
    for (let index = 0; index < 90; index += 1) {
      room.reserve(sender(`m${index}`, `p${index % 7}`), 1, nothing)?.release();
    }
    for (let index = 0; index < 2; index += 1) {
      assert.ok(room.reserve(sender(`large${index}`), MAX_BODY, nothing), `large ${index}`);
    }
    assert.equal(room.reserve(sender('large2'), MAX_BODY, nothing), null);
  });

  it("lets a sender's newer body take the place of its unfinished one, but not of a complete one", () => {
    let cancelled = 0;
    const { room, held } = fullRoom({ cancel: () => (cancelled += 1) });

    const again = room.reserve(sender('m3'), SMALL_BODY, nothing);
    assert.ok(again);
    assert.equal(cancelled, 1);
    // The former one no longer counts, so its end frees nothing.
    held[3]?.release();
    assert.equal(room.reserve(sender('late'), SMALL_BODY, nothing), null);

    again.keep();
    assert.equal(room.reserve(sender('m3'), SMALL_BODY, nothing), null);
  });

  it('lets bodies that have been unfinished for 10 s give way, oldest first', () => {
    let now = 0;
    const cancelled: number[] = [];
    const room = createBodyRoom(() => now);
    for (let index = 0; index < SMALL_ONES; index += 1) {
      const body = room.reserve(sender(`m${index}`), SMALL_BODY, () => cancelled.push(index));
      if (index === 0) body?.keep();
    }

    now = 9_999;
    assert.equal(room.reserve(sender('late'), SMALL_BODY, nothing), null);
    now = 10_000;
    assert.ok(room.reserve(sender('late'), SMALL_BODY, nothing));
    // The first one is complete.
    assert.deepEqual(cancelled, [1]);
  });

  it('gives the large bodies of one owner half of the room', () => {
    const room = createBodyRoom();

    assert.ok(room.reserve(sender('a1', 'a'), MAX_BODY, nothing));
    assert.equal(room.reserve(sender('a2', 'a'), SMALL_BODY + 1, nothing), null);
    assert.ok(room.reserve(sender('a3', 'a'), SMALL_BODY, nothing), 'a small one has its own room');
    assert.ok(room.reserve(sender('b1', 'b'), MAX_BODY, nothing));
  });
});
