import { chmod } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import { join } from 'node:path';

import type { BusAddress } from '../../src/platform/dbus/bus-address.ts';
import { BUS, connectToBus } from '../../src/platform/dbus/bus-connection.ts';
import type { BusConnection } from '../../src/platform/dbus/bus-connection.ts';
import type { BusMessage } from '../../src/platform/dbus/bus-message.ts';
import { encodeMessage, messageReader } from '../../src/platform/dbus/bus-message.ts';
import type { BusValue } from '../../src/platform/dbus/bus-values.ts';

const SERVICE = 'org.freedesktop.Notifications';
const OBJECT = '/org/freedesktop/Notifications';
/** The unique names of the server and of the daemon on this bus. */
const SERVER = ':1.0';
const DAEMON = ':1.1';
const BUS_ID = '68626465-6d6f'.padEnd(32, '0').replace('-', '0');

/** Timeout of a call to the user's desktop, ms. */
const TIMEOUT_MS = 5_000;

/** A request to a desktop about a pop-up. */
export interface PopUpNote {
  readonly action: 'rings' | 'withdraws';
  /** The id that the desktop gave the pop-up. */
  readonly id: number;
  /** Of a withdrawal the title of the pop-up that was shown. */
  readonly title: string;
  readonly body: string;
  /** All arguments of the call. */
  readonly words: readonly BusValue[];
}

export interface PretendDesktop extends AsyncDisposable {
  /** For DBUS_SESSION_BUS_ADDRESS of the daemon. */
  readonly address: string;
  /** Everything so far, in order. */
  readonly notes: readonly PopUpNote[];
  /** Withdraws the pop-ups still shown on the user's desktop. Never rejects. */
  clear(): Promise<void>;
}

interface Answer {
  readonly signature: string;
  readonly body: readonly BusValue[];
}

/**
 * A session bus with a notification server, in a socket in `directory`, that notes every pop-up; all else of the desktop channel is real.
 *
 * @param real address of the user's bus, so that the user sees the pop-ups; null: they are not shown
 */
export async function pretendDesktop(
  directory: string,
  real: BusAddress | null,
): Promise<PretendDesktop> {
  const notes: PopUpNote[] = [];
  const standing = new Map<number, string>();
  const sockets = new Set<Socket>();
  let person: BusConnection | null = null;
  let lastId = 0;

  /** Forwards a call to the user's desktop; returns null if that fails. */
  async function handOn(member: string, signature: string, body: readonly BusValue[]) {
    if (real?.ok !== true) return null;
    if (person?.isOpen() !== true) {
      const opened = await connectToBus(real.socket, {
        timeoutMs: TIMEOUT_MS,
        signal: new AbortController().signal,
        onSignal: () => undefined,
      });
      if (typeof opened === 'string') return null;
      person = opened;
    }
    const call = {
      destination: SERVICE,
      path: OBJECT,
      interface: SERVICE,
      member,
      signature,
      body,
    };
    const reply = await person.call(call, { timeoutMs: TIMEOUT_MS });
    return reply.type === 'answer' ? reply.body : null;
  }

  async function capabilities(): Promise<Answer | null> {
    const [names] = real === null ? [['body']] : ((await handOn('GetCapabilities', '', [])) ?? []);
    // Clicks are not reported back.
    const kept = Array.isArray(names) ? names.filter((name) => name !== 'actions') : null;
    return kept === null ? null : { signature: 'as', body: [kept] };
  }

  async function notify(body: readonly BusValue[]): Promise<Answer | null> {
    const [, replaces] = body;
    const [title, text] = body.slice(3, 5).map((word) => (typeof word === 'string' ? word : ''));
    const own = typeof replaces === 'number' && replaces > 0 ? replaces : lastId + 1;
    const [id] = real === null ? [own] : ((await handOn('Notify', 'susssasa{sv}i', body)) ?? []);
    if (typeof id !== 'number') return null;
    lastId = Math.max(lastId, id);
    standing.set(id, title ?? '');
    notes.push({ action: 'rings', id, title: title ?? '', body: text ?? '', words: body });
    return { signature: 'u', body: [id] };
  }

  async function close(id: BusValue | undefined): Promise<Answer | null> {
    if (typeof id !== 'number') return null;
    if (real !== null) await handOn('CloseNotification', 'u', [id]);
    notes.push({ action: 'withdraws', id, title: standing.get(id) ?? '', body: '', words: [id] });
    standing.delete(id);
    return { signature: '', body: [] };
  }

  async function answerTo({ member, body }: BusMessage): Promise<Answer | null> {
    if (member === 'Hello') return { signature: 's', body: [DAEMON] };
    if (member === 'AddMatch') return { signature: '', body: [] };
    if (member === 'GetId') return { signature: 's', body: [BUS_ID] };
    if (member === 'GetNameOwner') return { signature: 's', body: [SERVER] };
    if (member === 'GetCapabilities') return capabilities();
    if (member === 'Notify') return notify(body);
    return member === 'CloseNotification' ? close(body[0]) : null;
  }

  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    serve(socket, answerTo);
  });
  const path = join(directory, 'bus');
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  await chmod(path, 0o600);
  return {
    address: `unix:path=${path}`,
    notes,
    async clear() {
      for (const id of standing.keys()) await handOn('CloseNotification', 'u', [id]);
      standing.clear();
    },
    async [Symbol.asyncDispose]() {
      person?.close();
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The server end of a connection: accepts every client that reaches the socket, and answers calls in order. */
function serve(socket: Socket, answerTo: (call: BusMessage) => Promise<Answer | null>): void {
  let greeting: Buffer | null = Buffer.alloc(0);
  let serial = 0;
  let queue = Promise.resolve();

  async function answer(call: BusMessage): Promise<void> {
    const given = await answerTo(call);
    serial += 1;
    const sender = call.destination === BUS ? BUS : SERVER;
    const envelope = { serial, sender, destination: DAEMON, replySerial: call.serial };
    const message: BusMessage =
      given === null
        ? { ...envelope, type: 'error', errorName: `${BUS}.Error.Failed`, body: [] }
        : { ...envelope, type: 'answer', ...given };
    if (!socket.destroyed) socket.write(encodeMessage(message));
  }

  const read = messageReader((message) => {
    if (message.type === 'call') queue = queue.then(() => answer(message));
  });
  socket.on('data', (chunk: Buffer) => {
    if (greeting === null) {
      if (!read(chunk)) socket.destroy();
      return;
    }
    const before = greeting.length;
    greeting = Buffer.concat([greeting, chunk]);
    if (before === 0) socket.write(`OK ${BUS_ID}\r\n`);
    const begin = greeting.indexOf('BEGIN\r\n');
    if (begin === -1) return;
    const rest = greeting.subarray(begin + 'BEGIN\r\n'.length);
    greeting = null;
    if (!read(rest)) socket.destroy();
  });
}
