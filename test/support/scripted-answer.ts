import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * How an endpoint answers one request, after reading it.
 *
 * - `silence`: not at all
 * - `reset`: breaks the connection
 * - `reset-midway`: sends the head and half of the body, then breaks the connection
 * - `upgrade`: switches to another protocol (101) and sends nothing in it
 * - `{ status, … }`: a plain answer; of statuses below 200 nothing but the head
 * - `{ status, drip }`: the text one byte at a time, without an end
 * - `{ status, flood }`: `flood` bytes, as fast as they are taken
 */
export type ScriptedAnswer =
  | 'silence'
  | 'reset'
  | 'reset-midway'
  | 'upgrade'
  | PlainAnswer
  | (PlainAnswer & { readonly drip: string })
  | (PlainAnswer & { readonly flood: number });

interface PlainAnswer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** Plays an answer; `onFlood` is called with each piece of a flood that the far side took. */
export async function play(
  answer: ScriptedAnswer,
  response: ServerResponse,
  onFlood: (bytes: number) => void,
): Promise<void> {
  if (answer === 'silence') return;
  if (answer === 'reset') {
    response.socket?.resetAndDestroy();
    return;
  }
  if (answer === 'reset-midway') {
    response.writeHead(200, { 'content-length': '2' });
    response.write('o', () => response.socket?.resetAndDestroy());
    return;
  }
  if (answer === 'upgrade') {
    response.socket?.write('HTTP/1.1 101 Switching Protocols\r\n\r\n');
    return;
  }
  if (answer.status < 200) {
    response.socket?.end(`HTTP/1.1 ${answer.status} Interim\r\n\r\n`);
    return;
  }
  response.writeHead(answer.status, answer.headers);
  if ('drip' in answer) return drip(answer.drip, response);
  if ('flood' in answer) return flood(answer.flood, response, onFlood);
  response.end(answer.body);
}

async function drip(text: string, response: ServerResponse): Promise<void> {
  for (let next = 0; !response.closed; next += 1) {
    response.write(text[next] ?? '.');
    await delay(20);
  }
}

async function flood(
  bytes: number,
  response: ServerResponse,
  onFlood: (bytes: number) => void,
): Promise<void> {
  const piece = Buffer.alloc(65_536, '.');
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  for (let sent = 0; sent < bytes && !response.closed; sent += piece.length) {
    const taken = response.write(piece);
    onFlood(piece.length);
    if (!taken) await once(response, 'drain', { signal: gone.signal });
  }
  response.end();
}
