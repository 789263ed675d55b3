import assert from 'node:assert/strict';
import { lchown, rename, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';

import { askBus, type AskBusOptions } from '../../../src/platform/dbus/ask-bus.ts';
import { startBusService } from '../../support/bus-service.ts';
import { needsOtherUser } from '../../support/other-user.ts';
import { startSessionBus } from '../../support/session-bus.ts';
import { needs } from '../../support/system-part.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const skip = needs('dbus-daemon');
const NAME = 'org.example.Lamp';
const isOn = { destination: NAME, path: '/lamp', interface: NAME, member: 'IsOn' };
const yes = { signature: 'b', body: [true] };

function ask(address: string, options: Partial<AskBusOptions> = {}) {
  return askBus({ env: { DBUS_SESSION_BUS_ADDRESS: address }, timeoutMs: 5_000, ...options });
}

test('askBus() returns what a service answers, over one connection', { skip }, async () => {
  await using bus = await startSessionBus();
  await using lamp = await startBusService(join(bus.directory, 'bus'), [NAME], () => yes);
  const question = ask(bus.address);

  const answers = await Promise.all([1, 2, 3].map(() => question('session', isOn)));
  answers.push(await question('session', isOn));

  assert.deepEqual(answers, [true, true, true, true]);
  assert.deepEqual([...new Set(lamp.calls.map(({ sender }) => sender))], [lamp.calls[0]?.sender]);
  assert.ok(lamp.calls.every(({ noAutoStart }) => noAutoStart === true));
});

test(
  'askBus() returns null where no service owns the name, and starts none',
  { skip },
  async () => {
    await using bus = await startSessionBus();

    assert.equal(await ask(bus.address)('session', isOn), null);
  },
);

test(
  'askBus() returns null without a bus, and asks the one that starts later',
  { skip },
  async () => {
    await using bus = await startSessionBus();
    await using _lamp = await startBusService(join(bus.directory, 'bus'), [NAME], () => yes);
    const socket = join(bus.directory, 'bus');
    const question = ask(bus.address);
    await rename(socket, `${socket}.away`);
    assert.equal(await question('session', isOn), null);

    await rename(`${socket}.away`, socket);

    assert.equal(await question('session', isOn), true);
  },
);

test(
  'askBus() connects again after the bus or the service stopped responding',
  { skip },
  async () => {
    await using bus = await startSessionBus();
    let isSilent = true;
    await using lamp = await startBusService(join(bus.directory, 'bus'), [NAME], () =>
      isSilent ? null : yes,
    );
    const question = ask(bus.address, { timeoutMs: 200 });
    assert.equal(await question('session', isOn), null);

    isSilent = false;

    assert.equal(await question('session', isOn), true);
    assert.notEqual(lamp.calls[0]?.sender, lamp.calls[1]?.sender);
  },
);

test('askBus() returns null from a bus that accepts and does not respond', async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, 'bus');
  const server = createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(path, resolve));

  const answer = await ask(`unix:path=${path}`, { timeoutMs: 50 })('session', isOn);
  server.close();

  assert.equal(answer, null);
});

test('askBus() ends its connections with the signal', { skip }, async () => {
  await using bus = await startSessionBus();
  await using lamp = await startBusService(join(bus.directory, 'bus'), [NAME], () => yes);
  const end = new AbortController();
  const question = ask(bus.address, { signal: end.signal });
  assert.equal(await question('session', isOn), true);

  end.abort();

  assert.equal(await question('session', isOn), null);
  assert.equal(lamp.calls.length, 1);
});

test(
  'askBus() uses a system bus of root only, and no variable to find it',
  { skip: skip || needsOtherUser() },
  async () => {
    await using bus = await startSessionBus();
    await using _lamp = await startBusService(join(bus.directory, 'bus'), [NAME], () => yes);
    const systemSocket = join(bus.directory, 'bus');
    const env = { DBUS_SYSTEM_BUS_ADDRESS: bus.address };
    const none = join(bus.directory, 'none');
    assert.equal(await askBus({ env, systemSocket })('system', isOn), true);
    assert.equal(await askBus({ env, systemSocket: none })('system', isOn), null);

    const link = join(bus.directory, 'link');
    await symlink(systemSocket, link);
    assert.equal(await askBus({ env, systemSocket: link })('system', isOn), null);
    await lchown(systemSocket, 65_534, 65_534);
    assert.equal(await askBus({ env, systemSocket })('system', isOn), null);
  },
);
