import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';

import { BUS, BUS_OBJECT, connectToBus } from '../../../src/platform/dbus/bus-connection.ts';
import type { ConnectOptions, BusConnection } from '../../../src/platform/dbus/bus-connection.ts';
import type { BusMessage } from '../../../src/platform/dbus/bus-message.ts';
import { encodeMessage, messageReader } from '../../../src/platform/dbus/bus-message.ts';
import { startSessionBus } from '../../support/session-bus.ts';
import { needs } from '../../support/system-part.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const getId = { destination: BUS, path: BUS_OBJECT, interface: BUS, member: 'GetId' };
const patience = { timeoutMs: 5_000 };

function connect(path: string, options: Partial<ConnectOptions> = {}) {
  const { signal } = new AbortController();
  return connectToBus(path, { timeoutMs: 5_000, signal, onSignal: () => undefined, ...options });
}

/** The other end of a connection, played by the test. */
async function openPeer(serve: (socket: Socket) => void) {
  const directory = await temporaryDirectory();
  const path = join(directory.path, 'bus');
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    serve(socket);
  }).listen(path);
  await once(server, 'listening');
  return {
    path,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await directory[Symbol.asyncDispose]();
    },
  };
}

/** Accepts every client and answers Hello; passes all further calls to `onCall`. */
function polite(onCall: (call: BusMessage, socket: Socket) => void): (socket: Socket) => void {
  return (socket) => {
    const read = messageReader((call) => {
      if (call.member !== 'Hello') return onCall(call, socket);
      const answer = { type: 'answer', serial: 1, replySerial: call.serial } as const;
      socket.write(encodeMessage({ ...answer, signature: 's', body: [':1.1'] }));
    });
    let isIn = false;
    socket.on('data', (chunk: Buffer) => {
      const begin = chunk.indexOf('BEGIN\r\n');
      if (isIn) read(chunk);
      else if (begin === -1) socket.write('OK 00\r\n');
      else {
        isIn = true;
        read(chunk.subarray(begin + 7));
      }
    });
  };
}

function connected(opened: BusConnection | string): BusConnection {
  if (typeof opened === 'string') assert.fail(opened);
  return opened;
}

test('connectToBus() talks to a real bus', { skip: needs('dbus-daemon') }, async () => {
  await using bus = await startSessionBus();
  const connection = connected(await connect(join(bus.directory, 'bus')));

  const id = await connection.call(getId, patience);
  const unknown = await connection.call({ ...getId, member: 'Nothing' }, patience);
  connection.close();
  const late = await connection.call(getId, patience);

  assert.match(JSON.stringify(id), /"body":\["[0-9a-f]{32}"\]/);
  assert.deepEqual(unknown, { type: 'error', errorName: `${BUS}.Error.UnknownMethod` });
  assert.equal(late.type === 'none' && late.wasSent, false);
  assert.equal(connection.isOpen(), false);
});

for (const [name, serve, reason] of [
  ['hangs up', (socket: Socket) => socket.end(), /has closed the connection$/],
  [
    'lets us not in',
    (socket: Socket) => socket.write('REJECTED EXTERNAL\r\n'),
    /refused the login$/,
  ],
  [
    'sends a greeting without end',
    (socket: Socket) => socket.write('x'.repeat(10_000)),
    /refused the login$/,
  ],
  ['says nothing', () => undefined, /does not respond$/],
  [
    'sends garbage',
    (socket: Socket) => socket.write(`OK 00\r\n${'garbage'.repeat(100)}`),
    /sent invalid D-Bus data$/,
  ],
] as const) {
  test(`connectToBus() returns the reason for a failed connection when the other side ${name}`, async () => {
    await using peer = await openPeer(serve);

    const opened = await connect(peer.path, { timeoutMs: name === 'says nothing' ? 50 : 5_000 });

    assert.match(typeof opened === 'string' ? opened : 'connected', reason);
  });
}

test('connectToBus() returns the reason for a failed connection when nothing listens, and when it is stopped', async () => {
  await using peer = await openPeer(() => undefined);
  const stopping = new AbortController();

  const waiting = connect(peer.path, { signal: stopping.signal });
  stopping.abort();

  assert.equal(await waiting, 'stopped');
  assert.equal(await connect(peer.path, { signal: stopping.signal }), 'stopped');
  const nowhere = 'the session bus cannot be reached (ENOENT)';
  assert.equal(await connect('/nowhere/bus'), nowhere);
});

test('a connection that gets garbage is closed, and its calls say so', async () => {
  await using peer = await openPeer(
    polite((_, socket) =>
      socket.write(Buffer.from('\x6c\x04\x00\x01'.padEnd(64, '\xff'), 'latin1')),
    ),
  );
  const connection = connected(await connect(peer.path));

  const reply = await connection.call(getId, patience);

  const reason = 'the session bus sent invalid D-Bus data';
  assert.deepEqual(reply, { type: 'none', reason, wasSent: true });
  assert.equal(await connection.closed, reason);
});

test('a call that gets no answer ends at its deadline and with its signal', async () => {
  await using peer = await openPeer(polite(() => undefined));
  const connection = connected(await connect(peer.path));
  const stopping = new AbortController();

  const late = await connection.call(getId, { timeoutMs: 30 });
  const stopped = connection.call(getId, { ...patience, signal: stopping.signal });
  stopping.abort();

  assert.deepEqual(late, { type: 'none', reason: 'did not answer within 30 ms', wasSent: true });
  assert.deepEqual(await stopped, { type: 'none', reason: 'was stopped', wasSent: true });
  connection.close();
});

test('onAnswer is called before the signals that came right after the answer', async () => {
  await using peer = await openPeer(
    polite((call, socket) => {
      const answer = { type: 'answer', serial: 2, replySerial: call.serial, body: [] } as const;
      const signal = { type: 'signal', serial: 3, member: 'Clicked', body: [] } as const;
      socket.write(Buffer.concat([encodeMessage(answer), encodeMessage(signal)]));
    }),
  );
  const order: string[] = [];
  const onSignal = ({ member = '' }: BusMessage): unknown => order.push(member);
  const connection = connected(await connect(peer.path, { onSignal }));

  await connection.call(getId, { ...patience, onAnswer: () => order.push('answer') });

  assert.deepEqual(order, ['answer', 'Clicked']);
  connection.close();
});

test('a greeting that comes in pieces is read whole', async () => {
  await using peer = await openPeer((socket) => {
    const serve = polite((call, to) => {
      const answer = { type: 'answer', serial: 2, replySerial: call.serial } as const;
      to.write(encodeMessage({ ...answer, signature: 's', body: ['id'] }));
    });
    const inPieces: Pick<Socket, 'write'> = {
      write(text: string | Uint8Array) {
        const bytes = Buffer.from(text);
        socket.write(bytes.subarray(0, 3));
        setImmediate(() => socket.write(bytes.subarray(3)));
        return true;
      },
    };
    serve(Object.assign(Object.create(socket), inPieces));
  });
  const connection = connected(await connect(peer.path));

  const reply = await connection.call(getId, patience);

  assert.deepEqual(reply.type === 'answer' && reply.body, ['id']);
  connection.close();
});

test('a bus that refuses Hello assigns no name', async () => {
  await using peer = await openPeer((socket) => {
    socket.once('data', () => {
      socket.write('OK 00\r\n');
      const read = messageReader(({ serial }) => {
        const refusal = { type: 'error', serial: 1, replySerial: serial, body: [] } as const;
        socket.write(encodeMessage({ ...refusal, errorName: `${BUS}.Error.LimitsExceeded` }));
      });
      socket.on('data', (chunk: Buffer) => {
        const begin = chunk.indexOf('BEGIN\r\n');
        read(begin === -1 ? chunk : chunk.subarray(begin + 7));
      });
    });
  });

  assert.equal(await connect(peer.path), 'the session bus assigned no name');
});

test('a call of another program is refused, and a reply to no call is passed over', async () => {
  const refusals: BusMessage[] = [];
  await using peer = await openPeer(
    polite((call, socket) => {
      if (call.type === 'error') {
        refusals.push(call);
        if (refusals.length < 2) return;
        const answer = { type: 'answer', serial: 9, replySerial: 2, body: [7] } as const;
        socket.write(encodeMessage({ ...answer, signature: 'u' }));
        return;
      }
      const asking = { type: 'call', path: '/a', member: 'Ping', body: [] } as const;
      const stray = { type: 'answer', serial: 5, replySerial: 99, body: [] } as const;
      const nameless = { type: 'error', serial: 6, replySerial: 98, body: [] } as const;
      socket.write(
        Buffer.concat([
          encodeMessage(stray),
          encodeMessage(nameless),
          encodeMessage({ ...asking, serial: 7, sender: ':1.9' }),
          encodeMessage({ ...asking, serial: 8 }),
        ]),
      );
    }),
  );
  const connection = connected(await connect(peer.path));

  const reply = await connection.call(getId, patience);

  assert.deepEqual(reply, { type: 'answer', sender: '', body: [7] });
  assert.deepEqual(
    refusals.map(({ errorName, replySerial, destination }) => [
      errorName,
      replySerial,
      destination,
    ]),
    [
      [`${BUS}.Error.UnknownObject`, 7, ':1.9'],
      [`${BUS}.Error.UnknownObject`, 8, undefined],
    ],
  );
  connection.close();
});

test('an error without a name still ends its call, and a call that is already stopped is not sent', async () => {
  let calls = 0;
  await using peer = await openPeer(
    polite((call, socket) => {
      calls += 1;
      const refusal = { type: 'error', serial: 2, replySerial: call.serial, body: [] } as const;
      socket.write(encodeMessage(refusal));
    }),
  );
  const connection = connected(await connect(peer.path));
  const signal = AbortSignal.abort();

  const stopped = await connection.call(getId, { ...patience, signal });
  const refused = await connection.call(getId, patience);

  assert.deepEqual(stopped, { type: 'none', reason: 'was stopped', wasSent: false });
  assert.deepEqual(refused, { type: 'error', errorName: '' });
  assert.equal(calls, 1);
  connection.close();
});
