import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Paths } from '../../src/core/paths.ts';
import { resolvePaths } from '../../src/core/paths.ts';

const HOME = '/home/me';
const WINDOWS_HOME = 'C:\\Users\\Me';

const table: readonly {
  name: string;
  env: Record<string, string>;
  platform?: NodeJS.Platform;
  home?: string;
  expected: Partial<Paths>;
}[] = [
  {
    name: 'the defaults of XDG',
    env: {},
    expected: {
      configHome: '/home/me/.config',
      config: '/home/me/.config/hookbell/config.yaml',
      state: '/home/me/.local/state/hookbell',
      spool: '/home/me/.local/state/hookbell/spool',
      quarantine: '/home/me/.local/state/hookbell/quarantine',
      replies: '/home/me/.local/state/hookbell/replies',
      database: '/home/me/.local/state/hookbell/hookbell.db',
      pidFile: '/home/me/.local/state/hookbell/daemon.pid',
      log: '/home/me/.local/state/hookbell/daemon.log',
      launch: '/home/me/.local/state/hookbell/launch',
      runtime: '/home/me/.local/state/hookbell/run',
      socket: '/home/me/.local/state/hookbell/run/control.sock',
      token: '/home/me/.local/state/hookbell/run/token',
      program: '/home/me/.local/share/hookbell',
      command: '/home/me/.local/bin/hookbell',
    },
  },
  {
    name: 'the directories that XDG names',
    env: { XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: '/s', XDG_RUNTIME_DIR: '/run/user/1000' },
    expected: {
      configHome: '/c',
      config: '/c/hookbell/config.yaml',
      state: '/s/hookbell',
      // A caller from a session without XDG_RUNTIME_DIR must find the same socket.
      runtime: '/s/hookbell/run',
    },
  },
  {
    name: "hookbell's own variables before those of XDG",
    env: {
      HOOKBELL_CONFIG: '/etc/my.yaml',
      HOOKBELL_STATE_DIR: '/var/bell',
      XDG_CONFIG_HOME: '/c',
      XDG_STATE_HOME: '/s',
    },
    expected: { config: '/etc/my.yaml', state: '/var/bell', spool: '/var/bell/spool' },
  },
  {
    name: 'no empty and no relative path',
    env: {
      HOOKBELL_CONFIG: 'config.yaml',
      HOOKBELL_STATE_DIR: './state',
      XDG_CONFIG_HOME: '',
      XDG_STATE_HOME: '~/state',
    },
    expected: {
      config: '/home/me/.config/hookbell/config.yaml',
      state: '/home/me/.local/state/hookbell',
      runtime: '/home/me/.local/state/hookbell/run',
    },
  },
  {
    name: 'the same on macOS',
    env: {},
    platform: 'darwin',
    home: '/Users/me',
    expected: {
      config: '/Users/me/.config/hookbell/config.yaml',
      state: '/Users/me/.local/state/hookbell',
      command: '/Users/me/.local/bin/hookbell',
    },
  },
  {
    name: 'the application data folders on Windows',
    env: {
      APPDATA: 'C:\\Users\\Me\\AppData\\Roaming',
      LOCALAPPDATA: 'C:\\Users\\Me\\AppData\\Local',
      XDG_CONFIG_HOME: 'C:\\ignored',
    },
    platform: 'win32',
    home: WINDOWS_HOME,
    expected: {
      config: 'C:\\Users\\Me\\AppData\\Roaming\\hookbell\\config.yaml',
      state: 'C:\\Users\\Me\\AppData\\Local\\hookbell',
      spool: 'C:\\Users\\Me\\AppData\\Local\\hookbell\\spool',
      runtime: 'C:\\Users\\Me\\AppData\\Local\\hookbell\\run',
      socket: '\\\\.\\pipe\\hookbell-c-users-me-appdata-local-hookbell',
      token: 'C:\\Users\\Me\\AppData\\Local\\hookbell\\run\\token',
      program: 'C:\\Users\\Me\\AppData\\Local\\Programs\\hookbell',
      command: 'C:\\Users\\Me\\.local\\bin\\hookbell.cmd',
    },
  },
  {
    name: 'the home directory on a Windows without those folders',
    env: {},
    platform: 'win32',
    home: WINDOWS_HOME,
    expected: {
      config: 'C:\\Users\\Me\\.config\\hookbell\\config.yaml',
      state: 'C:\\Users\\Me\\.local\\state\\hookbell',
      program: 'C:\\Users\\Me\\.local\\share\\hookbell',
    },
  },
];

describe('resolvePaths() takes', () => {
  for (const { name, env, platform = 'linux', home = HOME, expected } of table) {
    test(name, () => {
      const paths = resolvePaths(env, platform, home);

      assert.deepEqual({ ...paths, ...expected }, paths);
    });
  }
});

test('resolvePaths() gives two users, and two instances, separate pipes on Windows', () => {
  const pipes = ['C:\\Users\\李', 'C:\\Users\\王', 'C:\\Users\\Me'].map(
    (home) => resolvePaths({}, 'win32', home).socket,
  );
  const other = resolvePaths({ HOOKBELL_STATE_DIR: 'D:\\bell' }, 'win32', 'C:\\Users\\Me').socket;

  assert.equal(new Set([...pipes, other]).size, 4);
  const long = resolvePaths({}, 'win32', `C:\\${'x'.repeat(400)}`).socket;
  assert.ok(long.length <= 256 && /^\\\\\.\\pipe\\[^\\]+$/.test(long));
});
