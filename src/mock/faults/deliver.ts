import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

import type { Outgoing } from '../http/outgoing.ts';
import type { Effect } from './effects.ts';
import { isDelivery } from './groups.ts';
import { firstHalf } from './spoil.ts';

/** Sends an answer the way the effects say. Settles when there is no more to send, or nobody to send it to. */
export async function deliver(
  response: ServerResponse,
  { status, headers, body }: Outgoing,
  effects: readonly Effect[],
  signal: AbortSignal,
): Promise<void> {
  response.writeHead(status, { ...headers, 'content-length': body.length });
  const effect = effects.find(isDelivery);
  if (effect === undefined) {
    response.end(body);
    return;
  }
  switch (effect.kind) {
    case 'drip':
      await drip(response, body, { pauseMs: effect.ms, size: effect.bytes ?? 1 }, signal);
      return;
    case 'truncate':
      await write(response, firstHalf(body));
      reset(response);
      return;
    case 'stall':
      await write(response, firstHalf(body));
      await hang(response);
  }
}

/** Keeps a request without an answer until one of the two ends is closed. */
export async function hang(response: ServerResponse): Promise<void> {
  if (!response.destroyed) await once(response, 'close');
}

/** Breaks the connection with a TCP reset, as a process does that dies. */
export function reset(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
}

async function drip(
  response: ServerResponse,
  body: Buffer,
  { pauseMs, size }: { readonly pauseMs: number; readonly size: number },
  signal: AbortSignal,
): Promise<void> {
  for (let at = 0; at < body.length && !response.destroyed; at += size) {
    await write(response, body.subarray(at, at + size));
    await delay(pauseMs, undefined, { signal });
  }
  response.end();
}

/** Settles when the bytes have left the process, so that a reset cannot overtake them. */
async function write(response: ServerResponse, bytes: Buffer): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    response.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}
