import type { BusValue, Variant } from './bus-values.ts';
import { DBusFormatError, decodeValues, encodeValues } from './bus-values.ts';

/** By their numbers on the wire, from 1. */
const messageTypes = ['call', 'answer', 'error', 'signal'] as const;
export type MessageType = (typeof messageTypes)[number];

/** A message on the bus; `serial` numbers those of one sender, from 1. */
export interface BusMessage {
  readonly type: MessageType;
  readonly serial: number;
  readonly path?: string;
  readonly interface?: string;
  readonly member?: string;
  readonly errorName?: string;
  /** The serial of the call that it answers. */
  readonly replySerial?: number;
  readonly destination?: string;
  /** The sender; the bus fills it in, so that it cannot be forged. */
  readonly sender?: string;
  readonly signature?: string;
  /** Of a call: do not start a program to answer it. */
  readonly noAutoStart?: true;
  readonly body: readonly BusValue[];
}

/** The header fields, by their codes. */
const fields = [
  { code: 1, name: 'path', signature: 'o' },
  { code: 2, name: 'interface', signature: 's' },
  { code: 3, name: 'member', signature: 's' },
  { code: 4, name: 'errorName', signature: 's' },
  { code: 5, name: 'replySerial', signature: 'u' },
  { code: 6, name: 'destination', signature: 's' },
  { code: 7, name: 'sender', signature: 's' },
  { code: 8, name: 'signature', signature: 'g' },
] as const;

const NO_AUTO_START = 2;
const LITTLE_ENDIAN = 'l'.charCodeAt(0);
const BIG_ENDIAN = 'B'.charCodeAt(0);
/** The specification's maximum message length. */
const MAX_MESSAGE_BYTES = 128 * 1024 * 1024;
/** A longer one is read and dropped: no expected response is longer. */
const MAX_KEPT_BYTES = 1024 * 1024;
/** Endianness, type, flags, version, and the lengths of the rest. */
const START_BYTES = 16;

/** @throws TypeError where the body is not of its signature */
export function encodeMessage(message: BusMessage): Buffer {
  const body = encodeValues(message.signature ?? '', message.body);
  const present = fields.flatMap(({ code, name, signature }): [number, Variant][] => {
    const value = message[name];
    return value === undefined ? [] : [[code, { signature, value }]];
  });
  const type = messageTypes.indexOf(message.type) + 1;
  const flags = message.noAutoStart === true ? NO_AUTO_START : 0;
  const start = [LITTLE_ENDIAN, type, flags, 1, body.length, message.serial];
  const header = encodeValues('yyyyuua(yv)', [...start, present]);
  return Buffer.concat([header, Buffer.alloc((8 - (header.length % 8)) % 8), body]);
}

/** @throws DBusFormatError, RangeError of Buffer */
function decodeMessage(bytes: Buffer): BusMessage | null {
  const isLittleEndian = bytes[0] === LITTLE_ENDIAN;
  const { values, length } = decodeValues('yyyyuua(yv)', bytes, isLittleEndian);
  const [, number, flags, , , serial, pairs] = values;
  const type = messageTypes[Number(number) - 1];
  // The specification requires unknown types to be ignored.
  if (type === undefined || typeof serial !== 'number' || !Array.isArray(pairs)) return null;
  const found: Record<string, unknown> = {};
  for (const [code, variant] of pairs) {
    const field = fields.find((one) => one.code === code);
    if (field === undefined) continue;
    if (variant.signature !== field.signature)
      throw new DBusFormatError('A field has a wrong type');
    found[field.name] = variant.value;
  }
  const signature = typeof found['signature'] === 'string' ? found['signature'] : '';
  const start = length + ((8 - (length % 8)) % 8);
  const body = decodeValues(signature, bytes.subarray(start), isLittleEndian);
  const noAutoStart = (Number(flags) & NO_AUTO_START) !== 0;
  return { ...found, type, serial, body: body.values, ...(noAutoStart && { noAutoStart: true }) };
}

/**
 * Cuts a stream of bytes into messages.
 *
 * @returns takes the next bytes and answers false once they are not D-Bus: nothing can be read after that
 */
export function messageReader(onMessage: (message: BusMessage) => void) {
  let unread: Buffer = Buffer.alloc(0);
  let dropped = 0;

  return (chunk: Buffer): boolean => {
    const skipped = Math.min(dropped, chunk.length);
    dropped -= skipped;
    unread = Buffer.concat([unread, chunk.subarray(skipped)]);
    while (unread.length >= START_BYTES) {
      const length = lengthOf(unread);
      if (length === null) return false;
      if (length > MAX_KEPT_BYTES) {
        dropped = Math.max(0, length - unread.length);
        unread = unread.subarray(length);
        continue;
      }
      if (unread.length < length) break;
      const bytes = unread.subarray(0, length);
      unread = unread.subarray(length);
      let message: BusMessage | null;
      try {
        message = decodeMessage(bytes);
      } catch {
        // Any data that is not D-Bus ends only the conversation.
        return false;
      }
      if (message !== null) onMessage(message);
    }
    return true;
  };
}

/** The length of the message at the beginning of these bytes; null if invalid. */
function lengthOf(start: Buffer): number | null {
  const isLittleEndian = start[0] === LITTLE_ENDIAN;
  if ((!isLittleEndian && start[0] !== BIG_ENDIAN) || start[3] !== 1) return null;
  const lengthAt = (at: number): number =>
    isLittleEndian ? start.readUInt32LE(at) : start.readUInt32BE(at);
  const length = START_BYTES + Math.ceil(lengthAt(12) / 8) * 8 + lengthAt(4);
  return length > MAX_MESSAGE_BYTES ? null : length;
}
