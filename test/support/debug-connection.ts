import { WebSocket } from 'undici';
import { z } from 'zod';

/** A connection to a browser that is driven by messages with ids, as those of the DevTools and of WebDriver BiDi. */
export interface DebugConnection {
  /** Asks the browser for something. Rejects with a `RefusedByBrowser` if it refuses, and with another error if it ends. */
  readonly send: (method: string, params?: object) => Promise<unknown>;
  /** Notifies of each event of the browser. */
  readonly on: (method: string, notify: (params: unknown) => void) => void;
  /** Rejects when the browser ended. */
  readonly ended: Promise<never>;
  readonly close: () => void;
}

export class RefusedByBrowser extends Error {
  override readonly name = 'RefusedByBrowser';
}

const messageSchema = z.looseObject({
  id: z.number().nullish(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.unknown().optional(),
  message: z.unknown().optional(),
});

interface Waiting {
  readonly method: string;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

export async function connectToBrowser(url: string): Promise<DebugConnection> {
  const socket = new WebSocket(url);
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve(), { once: true });
    socket.addEventListener('error', () => reject(new Error(`No connection to ${url}`)));
  });
  const waiting = new Map<number, Waiting>();
  const listeners = new Map<string, ((params: unknown) => void)[]>();
  const ended = new Promise<never>((_, reject) => {
    socket.addEventListener('close', () => {
      const error = new Error('The browser ended');
      for (const one of waiting.values()) one.reject(error);
      reject(error);
    });
  });
  // Most uses do not wait for it.
  ended.catch(() => undefined);
  socket.addEventListener('message', ({ data }) => {
    const { id, method, params, result, error, message } = messageSchema.parse(
      JSON.parse(String(data)),
    );
    if (typeof id === 'number') {
      const one = waiting.get(id);
      waiting.delete(id);
      if (error === undefined) one?.resolve(result);
      else
        one?.reject(new RefusedByBrowser(`${one.method}: ${JSON.stringify({ error, message })}`));
    } else if (method !== undefined) {
      for (const notify of listeners.get(method) ?? []) notify(params);
    }
  });
  let last = 0;
  return {
    ended,
    send(method, params = {}) {
      last += 1;
      const id = last;
      return new Promise((resolve, reject) => {
        waiting.set(id, { method, resolve, reject });
        socket.send(JSON.stringify({ id, method, params }));
      });
    },
    on: (method, notify) => void listeners.set(method, [...(listeners.get(method) ?? []), notify]),
    close: () => socket.close(),
  };
}
