import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createBodyRoom } from '../../src/relay/body-room.ts';
import { SMALL_BODY } from '../../src/relay/entrance.ts';
import { MAX_BODY } from '../../src/relay/wire.ts';

const devbox = { name: 'devbox', owner: 'devbox' };

test('a machine has one unfinished body in memory: the next one ends the one before (D14)', () => {
  const bodies = createBodyRoom();
  let cancelled = 0;

  const all = Array.from({ length: 20 }, () =>
    bodies.reserve(devbox, MAX_BODY, () => {
      cancelled += 1;
    }),
  );

  assert.ok(all.every((room) => room !== null));
  assert.equal(cancelled, 19);
  // One that was cancelled does not free the room of its successor.
  all[0]?.release();
  all.at(-1)?.keep();
  assert.equal(
    bodies.reserve(devbox, 1, () => {}),
    null,
  );
  all.at(-1)?.release();
  assert.notEqual(
    bodies.reserve(devbox, 1, () => {}),
    null,
  );
});

test('the bodies of all machines share a budget of two of the largest (D14)', () => {
  const bodies = createBodyRoom();
  const reserve = (machine: string) =>
    bodies.reserve({ name: machine, owner: machine }, MAX_BODY, () => {});

  const first = reserve('a');
  assert.ok(first && reserve('b'));
  assert.equal(reserve('c'), null);
  first.release();
  assert.notEqual(reserve('c'), null);
});

test('large bodies of the machines of one person get half of the budget', () => {
  const bodies = createBodyRoom();
  const reserve = (name: string, owner: string, bytes = MAX_BODY) =>
    bodies.reserve({ name, owner }, bytes, () => {});

  assert.ok(reserve('desk', 'ada'));
  assert.equal(reserve('lap', 'ada', SMALL_BODY + 1), null);
  assert.ok(reserve('lap', 'ada', SMALL_BODY));
  assert.ok(reserve('bench', 'ben'));
});

test('small bodies find room while large ones have it all', () => {
  const bodies = createBodyRoom();
  const reserve = (name: string, bytes: number) =>
    bodies.reserve({ name, owner: name }, bytes, () => {});

  assert.ok(reserve('a', MAX_BODY) && reserve('b', MAX_BODY));

  assert.equal(reserve('c', SMALL_BODY + 1), null);
  const small = Array.from({ length: 200 }, (_, index) => reserve(`small-${index}`, SMALL_BODY));
  assert.equal(small.filter((room) => room !== null).length, 128);
});

test('a body that is unfinished for ten seconds gives way, also after its sender began anew', () => {
  let now = 0;
  const bodies = createBodyRoom(() => now);
  const cancelled: string[] = [];
  const reserve = (name: string) =>
    bodies.reserve({ name, owner: name }, MAX_BODY, () => void cancelled.push(name));
  const [slow, complete] = [reserve('slow'), reserve('complete')];
  complete?.keep();

  now = 9_999;
  assert.equal(reserve('other'), null);
  assert.ok(reserve('slow'));
  now = 10_000;
  assert.ok(reserve('other'));

  assert.deepEqual(cancelled, ['slow', 'slow']);
  now = 20_000;
  assert.ok(reserve('third'));
  // What had given way frees nothing of its successors.
  slow?.release();
  assert.equal(reserve('fourth'), null);
});
