import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
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
