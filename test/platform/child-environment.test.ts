import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { childEnvironment } from '../../src/platform/find-program.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

function addressIn(env: Record<string, string>): string | undefined {
  return childEnvironment('linux', env)['DBUS_SESSION_BUS_ADDRESS'];
}

test('childEnvironment() passes on what the desktop needs and no secret (P12, T12)', () => {
  const needed = { PATH: '/bin', DISPLAY: ':0', XDG_RUNTIME_DIR: '/nowhere' };

  const passed = childEnvironment('linux', {
    ...needed,
    AWS_SECRET_ACCESS_KEY: 'x',
    NODE_OPTIONS: 'x',
  });

  assert.deepEqual(passed, needed);
});

test('childEnvironment() knows the variables of Windows in any case', () => {
  const needed = { Path: 'C:\\bin', SystemRoot: 'C:\\Windows' };

  assert.deepEqual(childEnvironment('win32', { ...needed, Secret: 'x' }), needed);
  assert.deepEqual(childEnvironment('darwin', needed), {});
});

test("childEnvironment() finds the user's bus in XDG_RUNTIME_DIR, if it is a socket and not named otherwise", async () => {
  await using directory = await temporaryDirectory();
  const env = { XDG_RUNTIME_DIR: directory.path };
  const bus = join(directory.path, 'bus');

  assert.equal(addressIn(env), undefined);
  const server = createServer().listen(bus);
  await once(server, 'listening');
  assert.equal(addressIn(env), `unix:path=${bus}`);
  server.close();
  await once(server, 'close');
  await writeFile(bus, 'not a socket');
  assert.equal(addressIn(env), undefined);
});

test('childEnvironment() passes on no address of a bus that could run a program or lead elsewhere (D5)', () => {
  for (const address of ['unixexec:path=/bin/sh', 'tcp:host=x.test,port=1', 'autolaunch:']) {
    assert.equal(addressIn({ DBUS_SESSION_BUS_ADDRESS: address }), undefined);
    assert.equal(
      childEnvironment('darwin', { DBUS_SESSION_BUS_ADDRESS: address })['DBUS_SESSION_BUS_ADDRESS'],
      undefined,
    );
  }
  const address = 'unix:abstract=/tmp/dbus-x';
  assert.equal(addressIn({ DBUS_SESSION_BUS_ADDRESS: `${address},guid=00` }), address);
});
