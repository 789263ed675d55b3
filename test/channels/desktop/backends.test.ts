import assert from 'node:assert/strict';
import { test } from 'node:test';
import { desktopOptions } from '../../../src/channels/desktop/pop-up.ts';
import { desktopPrograms } from '../../../src/channels/desktop/backend.ts';
import { backendsFor } from '../../../src/channels/desktop/fallback-chain.ts';

function namesOn(
  platform: NodeJS.Platform,
  env: Record<string, string> = {},
  options: Record<string, unknown> = {},
): readonly string[] {
  const backends = backendsFor(desktopPrograms(platform, env), desktopOptions.parse(options), {
    onReaction: () => undefined,
    onWorksAgain: () => undefined,
    now: () => 0,
  });
  return backends.map(({ name }) => name);
}

test('backendsFor() orders the chain of each platform', () => {
  assert.deepEqual(namesOn('linux'), ['dbus', 'node-notifier', 'terminal']);
  assert.deepEqual(namesOn('linux', { WSL_DISTRO_NAME: 'Debian' }), [
    'powershell',
    'dbus',
    'node-notifier',
    'terminal',
  ]);
  assert.deepEqual(namesOn('darwin'), [
    'alerter',
    'terminal-notifier',
    'osascript',
    'node-notifier',
    'terminal',
  ]);
  assert.deepEqual(namesOn('win32'), ['powershell', 'node-notifier']);
});

test('backendsFor() leaves the terminal out, or takes one backend only, as the options say', () => {
  assert.deepEqual(namesOn('linux', {}, { terminal: false }), ['dbus', 'node-notifier']);
  assert.deepEqual(namesOn('linux', {}, { backend: 'dbus' }), ['dbus']);
  assert.deepEqual(namesOn('linux', {}, { backend: 'terminal', terminal: false }), ['terminal']);
});
