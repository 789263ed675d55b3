import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chown, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';

import { busAddress } from '../../../src/platform/dbus/bus-address.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const US = process.geteuid?.() ?? 0;

/** A socket "bus" in a directory that only we can use. */
async function socketHere() {
  const directory = await temporaryDirectory();
  const path = join(directory.path, 'bus');
  const server = createServer().listen(path);
  await once(server, 'listening');
  return {
    path,
    directory: directory.path,
    async [Symbol.asyncDispose]() {
      server.close();
      await directory[Symbol.asyncDispose]();
    },
  };
}

function addressOf(named: string, uid = US) {
  return busAddress({ DBUS_SESSION_BUS_ADDRESS: named }, uid);
}

test('busAddress() takes a socket of ours, and an abstract one', async () => {
  await using socket = await socketHere();
  const ours = { ok: true, socket: socket.path, address: `unix:path=${socket.path}` };

  assert.deepEqual(addressOf(`unix:path=${socket.path},guid=0011`), ours);
  assert.deepEqual(addressOf(`unix:path=/nowhere;unix:path=${socket.path}`), ours);
  assert.deepEqual(addressOf(`unix:path=${socket.path.replaceAll('b', '%62')}`), ours);
  assert.deepEqual(addressOf('unix:abstract=/tmp/dbus-%20x'), {
    ok: true,
    socket: '\0/tmp/dbus- x',
    address: 'unix:abstract=/tmp/dbus-%20x',
  });
  assert.deepEqual(busAddress({ XDG_RUNTIME_DIR: socket.directory }), ours);
});

for (const named of [
  'unixexec:path=/bin/sh,argv1=-c',
  'tcp:host=127.0.0.1,port=1',
  'nonce-tcp:host=127.0.0.1,port=1,noncefile=/tmp/x',
  'autolaunch:',
  'unix:tmpdir=/tmp',
  'unix:runtime=yes',
  'unix:path=/nowhere,abstract=x',
  'launchd:env=X',
  'systemd:',
  'nonsense',
]) {
  test(`busAddress() refuses "${named}", also after one that is fine (D5)`, async () => {
    await using socket = await socketHere();

    for (const each of [
      named,
      `unix:path=${socket.path};${named}`,
      `${named};unix:path=${socket.path}`,
    ]) {
      assert.deepEqual(addressOf(each), {
        ok: false,
        reason: 'DBUS_SESSION_BUS_ADDRESS is neither "unix:path=" nor "unix:abstract="',
      });
    }
  });
}

for (const [named, reason] of [
  [';', /^no desktop session \(DBUS_SESSION_BUS_ADDRESS names nothing\)$/],
  ['unix:guid=0011', /is neither "unix:path=" nor "unix:abstract="$/],
  ['unix', /is neither "unix:path=" nor "unix:abstract="$/],
  ['unix:path=', /does not name an absolute path$/],
  ['unix:path=/run/%zz', /does not name an absolute path$/],
  ['unix:path=/run/a%00b', /does not name an absolute path$/],
] as const) {
  test(`busAddress() finds no bus in "${named}" and gives the reason`, () => {
    const address = addressOf(named);

    assert.match(address.ok ? 'taken' : address.reason, reason);
  });
}

test('busAddress() refuses a relative path, a file, a link, and a socket of another user or in their directory (D5)', async () => {
  await using socket = await socketHere();
  const file = join(socket.directory, 'file');
  const link = join(socket.directory, 'link');
  await writeFile(file, '');
  await symlink(socket.path, link);
  const reasonOf = (named: string, uid = US): string => {
    const address = addressOf(named, uid);
    return address.ok ? 'taken' : address.reason;
  };

  assert.match(reasonOf('unix:path=bus'), /does not name an absolute path$/);
  assert.match(reasonOf(`unix:path=${file}`), /names no socket at /);
  assert.match(reasonOf(`unix:path=${link}`), /names no socket at /);
  assert.match(reasonOf('unix:path=/nowhere/bus'), /names nothing at "\/nowhere\/bus"\)$/);
  assert.match(reasonOf(`unix:path=${socket.path}`, US + 1), /names a socket of user \d+ at /);
  if (US === 0) {
    await chown(socket.directory, 65_534, 65_534);
    assert.match(reasonOf(`unix:path=${socket.path}`), /in a directory of user 65534 at /);
  }
  assert.match(
    String(Object.values(busAddress({ XDG_RUNTIME_DIR: '/nowhere' }))),
    /no desktop session \(DBUS_SESSION_BUS_ADDRESS is not set, and found nothing at "\/nowhere\/bus"\)/,
  );
});
