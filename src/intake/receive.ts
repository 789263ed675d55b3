import type { Unreadable } from '../agents/decode.ts';
import { decodePayload } from '../agents/decode.ts';
import { errorCode } from '../core/error-code.ts';
import type { HookRecord } from '../core/hook-event.ts';
import type { Entry } from './listing.ts';
import type { SetAside } from './quarantine.ts';
import type { Spool } from './spool.ts';

export type Received =
  | { readonly type: 'record'; readonly record: HookRecord }
  /** `error` is the bug that keeps it from becoming an event, if it is one. */
  | { readonly type: 'set-aside'; readonly file: SetAside; readonly error?: unknown }
  /** Trouble of the machine, such as EMFILE or EIO: it may work later. */
  | { readonly type: 'failed'; readonly error: unknown }
  /** Nothing to do now. */
  | { readonly type: 'nothing' };

const unreadable: Readonly<Record<Unreadable, string>> = {
  empty: 'The payload is empty',
  'invalid-json': 'The payload is no JSON, or only the beginning of it',
  'not-object': 'The payload is JSON, but no object',
};

interface ReceiveOptions {
  /** Unix ms. */
  readonly receivedAt: number;
  readonly prepare?: ((record: HookRecord) => HookRecord) | undefined;
}

/** Makes a hook event of a name in the spool. Never throws: one envelope must not keep the others out. */
export function receive(spool: Spool, entry: Entry, options: ReceiveOptions): Received {
  try {
    return read(spool, entry, options);
  } catch (error) {
    if (errorCode(error) !== null) return { type: 'failed', error };
    return { ...setAside(entry, 'bad-envelope', 'It cannot be read: the log says why'), error };
  }
}

function read(
  spool: Spool,
  entry: Entry,
  { receivedAt, prepare = (record) => record }: ReceiveOptions,
): Received {
  const taken = spool.take(entry);
  switch (taken.type) {
    case 'waiting':
    case 'gone':
      return { type: 'nothing' };
    case 'refused':
      return setAside(entry, taken.reason, taken.detail);
    case 'ready':
  }
  const decoded = decodePayload(taken);
  if (!decoded.ok) {
    return setAside(entry, decoded.reason, `${unreadable[decoded.reason]} (from ${decoded.agent})`);
  }
  // A file of the future is one of now: the clock was set back, or a file system keeps another time.
  const at = Math.floor(Math.min(entry.createdAt, receivedAt));
  const event = { ...decoded.event, id: entry.name, at, receivedAt };
  return { type: 'record', record: prepare({ event, payload: taken.payload }) };
}

function setAside(entry: Entry, reason: string, detail: string) {
  return {
    type: 'set-aside' as const,
    file: { name: entry.name, size: entry.size, reason, detail },
  };
}
