import { connect, type Socket } from 'node:net';

import { type BusMessage, encodeMessage, messageReader } from './bus-message.ts';
import type { BusValue } from './bus-values.ts';

/** The bus itself. */
export const BUS = 'org.freedesktop.DBus';
export const BUS_OBJECT = '/org/freedesktop/DBus';

export interface MethodCall {
  readonly destination: string;
  readonly path: string;
  readonly interface: string;
  readonly member: string;
  readonly signature?: string;
  readonly body?: readonly BusValue[];
  /** Do not start a program to answer it. */
  readonly noAutoStart?: true;
}

export type BusReply =
  | { readonly type: 'answer'; readonly sender: string; readonly body: readonly BusValue[] }
  /** Refused; `errorName` such as "org.freedesktop.DBus.Error.ServiceUnknown". */
  | { readonly type: 'error'; readonly errorName: string }
  /** No response; `wasSent`: it may still have had its effect. */
  | { readonly type: 'none'; readonly reason: string; readonly wasSent: boolean };

export interface BusCallOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Called before anything after the response is processed. */
  readonly onAnswer?: (reply: BusReply & { readonly type: 'answer' }) => void;
}

/** A connection to a bus. */
export interface BusConnection {
  /** Never rejects. */
  call(call: MethodCall, options: BusCallOptions): Promise<BusReply>;
  isOpen(): boolean;
  /** Settles with the reason once it is closed, by either side. */
  readonly closed: Promise<string>;
  close(): void;
}

export interface ConnectOptions {
  /** For all of it: connecting, authentication, and getting a name. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Called with each signal in order of arrival. */
  readonly onSignal: (message: BusMessage) => void;
}

/** A line of the greeting is short. */
const MAX_LINE_BYTES = 4_096;

/**
 * Connects to a bus and says Hello. The system identifies us to the bus (the mechanism EXTERNAL), so no other way is
 * tried. It keeps no process alive. Whatever the other side sends, at worst the connection is closed.
 *
 * @param socket as `busAddress` answers it
 * @returns the connection, or why there is none, for people
 */
export async function connectToBus(
  socket: string,
  { timeoutMs, signal, onSignal }: ConnectOptions,
): Promise<BusConnection | string> {
  if (signal.aborted) return 'stopped';
  const stream = connect(socket);
  // Without a listener an error would end the process; "close" reports the cause.
  let trouble = 'the session bus has closed the connection';
  stream.on('error', (error: NodeJS.ErrnoException) => {
    trouble = `the session bus cannot be reached (${error.code ?? 'unknown error'})`;
  });
  const closed = new Promise<string>((resolve) => {
    stream.once('close', () => resolve(trouble));
  });
  const timer = setTimeout(() => end('the session bus does not respond'), timeoutMs);
  const onAbort = (): void => end('stopped');
  signal.addEventListener('abort', onAbort, { once: true });

  function end(reason: string): void {
    if (!stream.destroyed) trouble = reason;
    stream.destroy();
  }

  try {
    const rest = await authenticated(stream, closed);
    if (rest === null) {
      end('the session bus refused the login');
      return await closed;
    }
    const connection = talk(stream, { rest, closed, end, onSignal, reasonOf: () => trouble });
    const hello = { destination: BUS, path: BUS_OBJECT, interface: BUS, member: 'Hello' };
    const reply = await connection.call(hello, { timeoutMs });
    if (reply.type === 'answer') {
      stream.unref();
      return connection;
    }
    end('the session bus assigned no name');
    return await closed;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

/** Returns the bytes after the greeting, or null if access is refused. */
async function authenticated(stream: Socket, closed: Promise<string>): Promise<Buffer | null> {
  const uid = Buffer.from(String(process.geteuid?.() ?? 0)).toString('hex');
  stream.write(`\0AUTH EXTERNAL ${uid}\r\n`);
  let unread: Buffer = Buffer.alloc(0);
  const rest = await Promise.race([
    closed.then(() => null),
    new Promise<Buffer | null>((resolve) => {
      stream.on('data', (chunk: Buffer) => {
        unread = Buffer.concat([unread, chunk]);
        const lineEnd = unread.indexOf('\r\n');
        if (lineEnd === -1 && unread.length <= MAX_LINE_BYTES) return;
        stream.pause();
        resolve(unread.subarray(0, 3).toString() === 'OK ' ? unread.subarray(lineEnd + 2) : null);
      });
    }),
  ]);
  stream.removeAllListeners('data');
  if (rest !== null) stream.write('BEGIN\r\n');
  return rest;
}

interface Talk extends Pick<ConnectOptions, 'onSignal'>, Pick<BusConnection, 'closed'> {
  readonly rest: Buffer;
  readonly end: (reason: string) => void;
  readonly reasonOf: () => string;
}

function talk(stream: Socket, { rest, closed, end, onSignal, reasonOf }: Talk): BusConnection {
  const waiting = new Map<number, (reply: BusReply) => void>();
  let lastSerial = 0;
  const read = messageReader((message) => {
    if (message.type === 'signal') return onSignal(message);
    const resolveReply = waiting.get(message.replySerial ?? 0);
    if (message.type === 'answer') {
      resolveReply?.({ type: 'answer', sender: message.sender ?? '', body: message.body });
    } else if (message.type === 'error') {
      resolveReply?.({ type: 'error', errorName: message.errorName ?? '' });
    } else if (!stream.destroyed) {
      // The daemon exports no objects.
      send({
        type: 'error',
        errorName: `${BUS}.Error.UnknownObject`,
        replySerial: message.serial,
        ...(message.sender !== undefined && { destination: message.sender }),
      });
    }
  });
  const take = (chunk: Buffer): void => {
    if (!read(chunk)) end('the session bus sent invalid D-Bus data');
  };

  function send(message: Omit<BusMessage, 'serial' | 'body'> & Pick<MethodCall, 'body'>) {
    lastSerial += 1;
    stream.write(encodeMessage({ body: [], ...message, serial: lastSerial }));
    return lastSerial;
  }

  stream.once('close', () => {
    for (const resolveReply of waiting.values()) {
      resolveReply({ type: 'none', reason: reasonOf(), wasSent: true });
    }
  });
  stream.on('data', take);
  if (rest.length > 0) take(rest);
  stream.resume();
  return {
    closed,
    isOpen: () => !stream.destroyed && !stream.readableEnded,
    close: () => end('closed'),
    call: (call, { timeoutMs, signal, onAnswer }) =>
      new Promise<BusReply>((resolve) => {
        const notSent = signal?.aborted === true ? 'was stopped' : 'the connection is closed';
        if (signal?.aborted === true || stream.destroyed) {
          return resolve({ type: 'none', reason: notSent, wasSent: false });
        }
        const serial = send({ type: 'call', ...call });
        const give = (reply: BusReply): void => {
          waiting.delete(serial);
          clearTimeout(timer);
          signal?.removeEventListener('abort', onAbort);
          if (reply.type === 'answer') onAnswer?.(reply);
          resolve(reply);
        };
        const onAbort = (): void => give({ type: 'none', reason: 'was stopped', wasSent: true });
        const late = `did not answer within ${timeoutMs} ms`;
        const timer = setTimeout(give, timeoutMs, { type: 'none', reason: late, wasSent: true });
        signal?.addEventListener('abort', onAbort, { once: true });
        waiting.set(serial, give);
      }),
  };
}
