import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  CallerWishes,
  handMadeSessionId,
  isHandMade,
  isOfScript,
  isTryout,
  purposeOf,
  testChannelsOf,
} from '../../src/core/hand-made.ts';

test('a session made by hand has its purpose in its id, and no other session looks so', () => {
  for (const [purpose, tries] of [
    ['test', true],
    ['trial', true],
    ['trigger', false],
  ] as const) {
    const id = handMadeSessionId(purpose, '0123456789abcdef');

    assert.equal(id, `${purpose}-01234567`);
    assert.deepEqual([purposeOf(id), isHandMade(id), isTryout(id)], [purpose, true, tries]);
  }
  for (const id of [null, '', 'test', 'test-0123456', 'test-012345678', 'other-01234567']) {
    assert.deepEqual([purposeOf(id), isHandMade(id), isTryout(id)], [null, false, false]);
  }
});

test('CallerWishes leaves out what is wrong, and keeps the rest', () => {
  const channels = Array.from({ length: 21 }, (_, index) => `c${index}`);

  assert.deepEqual(CallerWishes.parse({ channels, wait: true }), {
    channels: undefined,
    wait: true,
  });
  assert.equal(CallerWishes.parse({ channels: channels.slice(1) }).channels?.length, 20);
  assert.deepEqual(CallerWishes.parse({ plan: 'x'.repeat(65), wait: 'yes' }), {
    plan: undefined,
    wait: undefined,
  });
  assert.deepEqual(CallerWishes.parse({ plan: 'x'.repeat(64) }), { plan: 'x'.repeat(64) });
});

test('isOfScript() means what a script or a command says, not what an agent does', () => {
  const events = ['HookbellNotify', 'HookbellCommand', 'HookbellTell', 'Stop'];

  assert.deepEqual(
    events.filter((event) => isOfScript({ event })),
    ['HookbellNotify', 'HookbellCommand'],
  );
});

test('testChannelsOf() never chooses a channel that other people read', () => {
  const team = { name: 'team', type: 'slack' };
  const here = { name: 'here', type: 'terminal' };
  const screen = { name: 'screen', type: 'desktop' };

  assert.deepEqual(testChannelsOf([team, here, screen]), ['screen']);
  assert.deepEqual(testChannelsOf([team, here]), ['here']);
  assert.deepEqual(testChannelsOf([team]), ['inbox']);
});
