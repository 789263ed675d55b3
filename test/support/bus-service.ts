import { EventEmitter, once } from 'node:events';
import { connect } from 'node:net';

import { BUS, BUS_OBJECT } from '../../src/platform/dbus/bus-connection.ts';
import type { BusMessage } from '../../src/platform/dbus/bus-message.ts';
import { encodeMessage, messageReader } from '../../src/platform/dbus/bus-message.ts';
import type { BusValue } from '../../src/platform/dbus/bus-values.ts';

/** The result of a method. */
export interface MethodResult {
  readonly signature: string;
  readonly body: readonly BusValue[];
}

export interface BusService extends AsyncDisposable {
  /** The calls of others, in order. */
  readonly calls: readonly BusMessage[];
}

/**
 * A program on a real bus that owns `names`.
 *
 * @param answer null: it does not respond to the call
 */
export async function startBusService(
  socket: string,
  names: readonly string[],
  answer: (call: BusMessage) => MethodResult | null,
): Promise<BusService> {
  const calls: BusMessage[] = [];
  const stream = connect(socket);
  const closed = once(stream, 'close');
  let serial = 0;
  const send = (message: Omit<BusMessage, 'serial'>): number => {
    serial += 1;
    stream.write(encodeMessage({ ...message, serial }));
    return serial;
  };
  const opening = new EventEmitter();
  stream.on('error', (error) => opening.emit('error', error));
  const read = messageReader((message) => {
    if (message.type === 'answer' && message.replySerial === names.length + 1)
      opening.emit('ready');
    if (message.type === 'error') opening.emit('error', new Error(message.errorName));
    if (message.type !== 'call') return;
    calls.push(message);
    const result = answer(message);
    if (result === null) return;
    send({
      type: 'answer',
      replySerial: message.serial,
      ...(message.sender !== undefined && { destination: message.sender }),
      ...result,
    });
  });
  stream.write(
    `\0AUTH EXTERNAL ${Buffer.from(String(process.geteuid?.() ?? 0)).toString('hex')}\r\n`,
  );
  await once(stream, 'data');
  stream.on('data', (chunk: Buffer) => read(chunk));
  stream.write('BEGIN\r\n');
  const ofBus = { type: 'call', destination: BUS, path: BUS_OBJECT, interface: BUS } as const;
  send({ ...ofBus, member: 'Hello', body: [] });
  const ready = once(opening, 'ready');
  for (const name of names) {
    send({ ...ofBus, member: 'RequestName', signature: 'su', body: [name, 0] });
  }
  await ready;
  // A client that asked and left is answered with an error by the bus, and the bus may end first.
  opening.on('error', () => {});
  return {
    calls,
    async [Symbol.asyncDispose]() {
      stream.destroy();
      await closed;
    },
  };
}
