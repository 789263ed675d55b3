import type { BusAddress } from '../../dbus/address.ts';
import type { CallOptions, Connection, Reply } from '../../dbus/connection.ts';
import { BUS, BUS_OBJECT, connectToBus } from '../../dbus/connection.ts';
import type { Message } from '../../dbus/message.ts';
import { OBJECT, SERVICE } from './notify-message.ts';

/**
 * Signals of the owner of the name alone: the bus sees to that. A signal that is addressed to one connection needs no rule, so the
 * sender of each is checked as well: no other program can put words into a mouth.
 */
const SAID = `type='signal',sender='${SERVICE}',path='${OBJECT}',interface='${SERVICE}'`;
const OTHER_OWNER = `type='signal',sender='${BUS}',interface='${BUS}',member='NameOwnerChanged',arg0='${SERVICE}'`;

/** The connection on which pop-ups are shown, and what is known of the server at its other end. */
export interface Link {
  readonly connection: Connection;
  readonly address: BusAddress & { readonly ok: true };
  busId: string;
  /** The unique name of the server, as no other is ever named; null while there is none. */
  owner: string | null;
  /** Null until it was asked. */
  capabilities: readonly string[] | null;
}

export interface LinkOptions {
  readonly signal: AbortSignal;
  readonly connectMs: number;
  readonly askMs: number;
  readonly onSignal: (link: Link, message: Message) => void;
}

/** Names the server that is there: ids of pop-ups are those of one server. Null: there is none. */
export function serverOf({ busId, owner }: Pick<Link, 'busId' | 'owner'>): string | null {
  return owner === null ? null : `${busId} ${owner}`;
}

/** Connects, and listens to the server and to changes of it; answers why not, for people, where that fails. */
export async function openLink(
  address: BusAddress & { readonly ok: true },
  { signal, connectMs, askMs, onSignal }: LinkOptions,
): Promise<Link | string> {
  const early: Message[] = [];
  let link: Link | null = null;
  const connection = await connectToBus(address.socket, {
    timeoutMs: connectMs,
    signal,
    onSignal: (message) => (link === null ? early.push(message) : onSignal(link, message)),
  });
  if (typeof connection === 'string') return connection;
  const opened: Link = { connection, address, busId: '', owner: null, capabilities: null };
  link = opened;
  for (const message of early) onSignal(opened, message);
  const options = { timeoutMs: askMs, signal };
  const replies = await Promise.all([
    busCall(connection, 'AddMatch', [SAID], options),
    busCall(connection, 'AddMatch', [OTHER_OWNER], options),
    busCall(connection, 'GetNameOwner', [SERVICE], options, (owner) => (opened.owner = owner)),
    busCall(connection, 'GetId', [], options, (id) => (opened.busId = id)),
  ]);
  if (replies.every(({ type }) => type !== 'none') && opened.busId !== '') return opened;
  connection.close();
  return 'the session bus does not answer';
}

/** A method of the bus itself; `onText` gets a string that it answers. */
function busCall(
  connection: Connection,
  member: string,
  words: readonly string[],
  options: CallOptions,
  onText?: (text: string) => void,
): Promise<Reply> {
  const call = { destination: BUS, path: BUS_OBJECT, interface: BUS, member };
  return connection.call(
    { ...call, signature: 's'.repeat(words.length), body: words },
    {
      ...options,
      onAnswer({ body: [answer] }) {
        if (typeof answer === 'string') onText?.(answer);
      },
    },
  );
}

/**
 * A second connection, which watches what the server says to anybody; null where the bus does not allow it. A server may tell what
 * becomes of a pop-up to the connection alone that showed it (dunst and KDE Plasma do), which is gone with an earlier daemon.
 */
export async function openMonitor(
  link: Link,
  { signal, askMs, onSignal }: LinkOptions,
): Promise<Connection | null> {
  const options = { timeoutMs: askMs, signal };
  const connection = await connectToBus(link.address.socket, {
    ...options,
    onSignal: (message) => onSignal(link, message),
  });
  if (typeof connection === 'string') return null;
  const face = `${BUS}.Monitoring`;
  const become = { destination: BUS, path: BUS_OBJECT, interface: face, member: 'BecomeMonitor' };
  const answer = await connection.call({ ...become, signature: 'asu', body: [[SAID], 0] }, options);
  if (answer.type === 'answer') return connection;
  connection.close();
  return null;
}
