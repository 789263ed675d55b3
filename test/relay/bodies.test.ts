import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parseRelayAddress } from '../../src/core/relay.ts';
import { createBodyRoom } from '../../src/relay/body-room.ts';
import { MAX_BODY } from '../../src/relay/wire.ts';

test('a machine has one unfinished body in memory: the next one ends the one before (D14)', () => {
  const bodies = createBodyRoom();
  let cancelled = 0;

  const all = Array.from({ length: 20 }, () =>
    bodies.reserve('devbox', MAX_BODY, () => {
      cancelled += 1;
    }),
  );

  assert.ok(all.every((room) => room !== null));
  assert.equal(cancelled, 19);
  // One that was cancelled does not free the room of its successor.
  all[0]?.release();
  all.at(-1)?.keep();
  assert.equal(
    bodies.reserve('devbox', 1, () => {}),
    null,
  );
  all.at(-1)?.release();
  assert.notEqual(
    bodies.reserve('devbox', 1, () => {}),
    null,
  );
});

test('the bodies of all machines share a budget of two of the largest (D14)', () => {
  const bodies = createBodyRoom();
  const reserve = (machine: string) => bodies.reserve(machine, MAX_BODY, () => {});

  const first = reserve('a');
  assert.ok(first && reserve('b'));
  assert.equal(reserve('c'), null);
  first.release();
  assert.notEqual(reserve('c'), null);
});

test('parseRelayAddress() refuses the name "localhost" without TLS (D14)', () => {
  assert.match(
    JSON.stringify(parseRelayAddress('http://localhost:8080')),
    /another user's server on \[::1\]/,
  );
  assert.equal(typeof parseRelayAddress('http://127.0.0.1:8080'), 'object');
  assert.equal(typeof parseRelayAddress('http://[::1]:8080'), 'object');
});
