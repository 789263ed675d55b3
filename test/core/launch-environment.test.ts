import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { EnvironmentFacts } from '../../src/core/launch-environment.ts';
import {
  launchEnvironment,
  removeUnsafeVariables,
  withSession,
} from '../../src/core/launch-environment.ts';

const facts: EnvironmentFacts = {
  isOwnSocket: (path) => path.startsWith('/run/user/1000/'),
  isTrusted: (path) => !path.startsWith('/shared'),
};

function recorded(
  env: Readonly<Record<string, string>>,
  {
    secretNames = [],
    previous = null,
    platform = 'linux',
  }: {
    readonly secretNames?: readonly string[];
    readonly previous?: Readonly<Record<string, string>> | null;
    readonly platform?: NodeJS.Platform;
  } = {},
): Readonly<Record<string, string>> {
  return launchEnvironment({
    env,
    paths: { config: '/home/dev/.config/hookbell/config.yaml', state: '/home/dev/state' },
    home: '/home/dev',
    platform,
    secretNames,
    previous,
    facts,
  });
}

const always = {
  HOME: '/home/dev',
  HOOKBELL_CONFIG: '/home/dev/.config/hookbell/config.yaml',
  HOOKBELL_STATE_DIR: '/home/dev/state',
  PATH: '/usr/local/bin:/usr/bin:/bin',
};

describe('launchEnvironment()', () => {
  test('says where the files are, whatever else is set (D2)', () => {
    assert.deepEqual(recorded({ HOME: '/elsewhere', HOOKBELL_CONFIG: '/evil' }), always);
  });

  test('takes no program of Windows from a folder of a project, and no place of a project in PATH', () => {
    const evil = {
      SYSTEMROOT: String.raw`D:\repo\Windows`,
      WINDIR: String.raw`D:\repo`,
      COMSPEC: String.raw`D:\repo\cmd.exe`,
      PATH: String.raw`.;bin;D:\repo\node_modules\.bin;D:\tools;\\server\tools;C:\npm\_npx\1\bin`,
    };

    const { SYSTEMROOT, WINDIR, COMSPEC, PATH } = recorded(evil, { platform: 'win32' });
    const other = recorded({ SYSTEMROOT: String.raw`E:\WINDOWS` }, { platform: 'win32' });

    assert.deepEqual(
      [SYSTEMROOT, WINDIR, COMSPEC, PATH],
      ['C:\\Windows', 'C:\\Windows', String.raw`C:\Windows\System32\cmd.exe`, 'D:\\tools'],
    );
    assert.equal(other['COMSPEC'], String.raw`E:\WINDOWS\System32\cmd.exe`);
    assert.equal(other['PATH'], String.raw`C:\Windows\System32`);
  });

  test('leaves out what steers programs (D3, D4)', () => {
    const steering = {
      NODE_OPTIONS: '--inspect',
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
      NODE_PATH: '/evil',
      LD_PRELOAD: '/evil.so',
      DYLD_INSERT_LIBRARIES: '/evil.dylib',
      OPENSSL_CONF: '/evil.cnf',
      SSL_CERT_FILE: '/evil.pem',
      BASH_ENV: '/evil.sh',
      ENV: '/evil.sh',
      UNKNOWN: 'x',
    };

    assert.deepEqual(recorded(steering), always);
    assert.deepEqual(
      recorded(steering, { secretNames: ['NODE_OPTIONS', 'LD_PRELOAD', 'ENV'] }),
      always,
    );
  });

  const kept: Readonly<Record<string, readonly string[]>> = {
    LANG: ['de_DE.UTF-8'],
    LC_TIME: ['C'],
    USER: ['dev'],
    TZ: ['Europe/Berlin'],
    DISPLAY: [':0', 'localhost:10.0'],
    WAYLAND_DISPLAY: ['wayland-0', '/run/user/1000/wayland-0'],
    DBUS_SESSION_BUS_ADDRESS: [
      'unix:path=/run/user/1000/bus',
      'unix:path=/run/user/1000/bus,guid=0123456789abcdef0123456789abcdef',
      'unix:abstract=/tmp/dbus-Ab1',
    ],
    XDG_RUNTIME_DIR: ['/run/user/1000'],
    https_proxy: ['http://me:word@proxy.example.com:3128'],
    NODE_EXTRA_CA_CERTS: ['/etc/ssl/company.pem'],
  };
  for (const [name, values] of Object.entries(kept)) {
    for (const value of values) {
      test(`records ${name}=${value}`, () => {
        assert.equal(recorded({ [name]: value })[name], value);
      });
    }
  }

  const refused: Readonly<Record<string, readonly string[]>> = {
    DISPLAY: ['$(id)', 'evil/x:0'],
    WAYLAND_DISPLAY: ['/tmp/wayland-0', '../x'],
    DBUS_SESSION_BUS_ADDRESS: [
      'unixexec:path=/bin/sh',
      'tcp:host=evil.example.com,port=1',
      'autolaunch:',
      'unix:path=/tmp/bus',
      'unix:path=/run/user/1000/bus;unixexec:path=/bin/sh',
      'unix:path=/run/user/1000/%62us',
      'unix:dir=/tmp',
      'systemd:',
    ],
    XDG_RUNTIME_DIR: ['run', '/shared/run'],
    XAUTHORITY: ['/shared/authority'],
    NODE_EXTRA_CA_CERTS: ['company.pem', '/shared/company.pem'],
    XDG_CONFIG_HOME: ['config'],
    LANG: ['de\nDE', 'a b'],
    https_proxy: [''],
  };
  for (const [name, values] of Object.entries(refused)) {
    for (const value of values) {
      test(`leaves out ${name}=${JSON.stringify(value)} (D5)`, () => {
        assert.equal(recorded({ [name]: value })[name], undefined);
      });
    }
  }

  test('keeps of PATH what belongs to this user or the system (D6)', () => {
    const places = ['/home/dev/bin', '', '.', 'bin', '/shared/bin', '/usr/bin', '/usr/bin'];
    const project = ['/work/shop/node_modules/.bin', '/home/dev/.npm/_npx/1/node_modules/.bin'];

    const { PATH } = recorded({ PATH: [...project, ...places].join(':') });

    assert.equal(PATH, '/home/dev/bin:/usr/bin');
    assert.equal(recorded({ PATH: 'node_modules/.bin' })['PATH'], always.PATH);
  });

  test('has the usual PATH of the system where none is set', () => {
    assert.equal(recorded({}, { platform: 'win32' })['PATH'], String.raw`C:\Windows\System32`);
    const spoilt = recorded({ PATH: '/usr/bin:/home\u001b/bin' });
    assert.equal(spoilt['PATH'], '/usr/bin');
    const both = { PATH: String.raw`d:/tools;D:\tools`, TEMP: 'x', SYSTEMROOT: 'C:\\WINNT' };
    const windows = recorded(both, { platform: 'win32' });
    assert.deepEqual([windows['PATH'], windows['TEMP']], [both.PATH, 'x']);
    assert.equal(windows['WINDIR'], 'C:\\WINNT');
    assert.equal(recorded({ TEMP: 'x' })['TEMP'], undefined);
  });

  test('takes no secret by the name of a variable with another use, nor with a zero in it', () => {
    const env = { USER: 'a b', DISPLAY: 'evil', 'BAD-NAME': 'x', TOKEN: 'a\0b', '': 'x', KEY: '' };

    const taken = recorded(env, { secretNames: [...Object.keys(env), 'ABSENT'] });

    assert.deepEqual(taken, { ...always, KEY: '' });
  });

  test('records the values of what the configuration names, and keeps one that is not set now', () => {
    const secretNames = ['WEBHOOK', 'PASSWORD', 'PATH'];

    const first = recorded({ WEBHOOK: 'https://a\n', PASSWORD: 'p', OTHER: 'o' }, { secretNames });
    const second = recorded({ WEBHOOK: 'https://b' }, { secretNames, previous: first });
    const third = recorded({}, { secretNames: [], previous: second });

    assert.deepEqual(first, { ...always, WEBHOOK: 'https://a\n', PASSWORD: 'p' });
    assert.deepEqual(second, { ...always, WEBHOOK: 'https://b', PASSWORD: 'p' });
    assert.deepEqual(third, always);
  });

  test('keeps the desktop where the environment knows none, as over ssh', () => {
    const first = recorded({ DISPLAY: ':1', XDG_SESSION_TYPE: 'x11' });

    assert.equal(recorded({}, { previous: first })['DISPLAY'], ':1');
    const moved = recorded({ WAYLAND_DISPLAY: 'wayland-0' }, { previous: first });
    assert.equal(moved['DISPLAY'], undefined);
  });
});

test('withSession() takes the session from the service manager, and nothing else', () => {
  const env = {
    DISPLAY: ':2',
    DBUS_SESSION_BUS_ADDRESS: 'unixexec:path=/bin/sh',
    PATH: '/evil',
    INVOCATION_ID: 'a1',
    NODE_OPTIONS: '--inspect',
  };

  const merged = withSession({ ...always, DISPLAY: ':1' }, env, facts);

  assert.deepEqual(merged, { ...always, DISPLAY: ':2', INVOCATION_ID: 'a1' });
  const kept = { ...always, DISPLAY: ':1' };
  assert.deepEqual(withSession(kept, { DISPLAY: '', XDG_SESSION_TYPE: 'a b' }, facts), kept);
});

test('removeUnsafeVariables() removes the switch that turns verification off, and names it (D4)', () => {
  for (const [value, named] of [
    ['0', ['NODE_TLS_REJECT_UNAUTHORIZED']],
    ['1', []],
  ] as const) {
    const env: NodeJS.ProcessEnv = { NODE_TLS_REJECT_UNAUTHORIZED: value, LANG: 'C' };

    assert.deepEqual(removeUnsafeVariables(env), named);
    assert.deepEqual(env, { LANG: 'C' });
  }
});
