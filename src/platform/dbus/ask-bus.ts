import { lstatSync } from 'node:fs';

import { busAddress } from './bus-address.ts';
import type { BusConnection, MethodCall } from './bus-connection.ts';
import type { BusValue } from './bus-values.ts';

/** For a connection, and again for each reply, ms. */
const TIMEOUT_MS = 300;

/** The path in the specification of D-Bus, "System message bus". A variable could lead to the bus of another user. */
const SYSTEM_SOCKET = '/var/run/dbus/system_bus_socket';

export interface AskBusOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Ends the connections. */
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  /** For tests: the socket of the system bus. */
  readonly systemSocket?: string;
}

/** A method without side effects; starts no service. Returns the first value, or null on errors. */
export type AskBus = (
  bus: 'session' | 'system',
  call: Omit<MethodCall, 'noAutoStart'>,
) => Promise<BusValue | null>;

/** One connection per bus; a bus that does not respond in time loses it, with its late replies. */
export function askBus(options: AskBusOptions): AskBus {
  const { env, signal = new AbortController().signal, timeoutMs = TIMEOUT_MS } = options;
  const connections = new Map<string, Promise<BusConnection | string>>();
  signal.addEventListener('abort', () => {
    for (const each of connections.values()) void each.then(close);
  });

  function socketOf(bus: 'session' | 'system'): string | null {
    if (bus === 'system') return rootSocket(options.systemSocket ?? SYSTEM_SOCKET);
    const address = busAddress(env);
    return address.ok ? address.socket : null;
  }

  async function connected(socket: string): Promise<BusConnection | null> {
    const known = connections.get(socket);
    const open = await known;
    if (open !== undefined && typeof open !== 'string' && open.isOpen()) return open;
    // Several calls may wait for the same broken one: the first replaces it.
    if (connections.get(socket) === known) connections.set(socket, connect(socket));
    const opened = (await connections.get(socket)) ?? '';
    return typeof opened === 'string' ? null : opened;
  }

  async function connect(socket: string): Promise<BusConnection | string> {
    const { connectToBus } = await import('./bus-connection.ts');
    return connectToBus(socket, { timeoutMs, signal, onSignal: () => undefined });
  }

  return async (bus, call) => {
    const socket = socketOf(bus);
    if (socket === null || signal.aborted) return null;
    const connection = await connected(socket);
    const reply = await connection?.call({ ...call, noAutoStart: true }, { timeoutMs, signal });
    if (reply?.type === 'none') connection?.close();
    return reply?.type === 'answer' ? (reply.body[0] ?? null) : null;
  };
}

function close(connection: BusConnection | string): void {
  if (typeof connection !== 'string') connection.close();
}

/** Anyone could listen on a socket that is not root's. */
function rootSocket(path: string): string | null {
  try {
    const file = lstatSync(path);
    return file.isSocket() && file.uid === 0 ? path : null;
  } catch {
    return null;
  }
}
