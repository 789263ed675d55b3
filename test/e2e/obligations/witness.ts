import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

import { claimIn } from './claim.ts';
import type { Arrival } from './judge.ts';

/**
 * How a far side behaves.
 *
 * - `well`: takes what comes
 * - `slow`: takes it after most of a second
 * - `refuses`: 503
 * - `limits`: 429, to come again after a second
 * - `resets`: takes it and breaks the connection
 * - `silent`: takes it and never responds
 */
export type Manner = 'well' | 'slow' | 'refuses' | 'limits' | 'resets' | 'silent';

/** A webhook that records what it was sent and behaves as set. It permanently refuses messages about a doomed claim. */
export interface Witness extends AsyncDisposable {
  readonly url: string;
  /** What it took, with or without a response. */
  readonly arrivals: readonly Arrival[];
  /** How many of those had no response, or one that no client waited for: each may come again. */
  readonly unanswered: () => number;
  /** Behaves in this manner for `requests`, then normally again. */
  behave(manner: Manner, requests: number): void;
  /** How many messages it accepted since its behaviour was last set. */
  readonly welcomed: () => number;
}

interface Document {
  readonly id: string;
  readonly possibleDuplicate: boolean;
}

export async function openWitness(): Promise<Witness> {
  const arrivals: Arrival[] = [];
  let unanswered = 0;
  let manner: Manner = 'well';
  let left = 0;
  let welcomed = 0;

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const now = left > 0 ? manner : 'well';
    left -= 1;
    if (body.includes('doomed')) return end(response, 413);
    if (now === 'refuses') return end(response, 503);
    if (now === 'limits') return end(response.setHeader('retry-after', '1'), 429);
    const { id, possibleDuplicate }: Document = JSON.parse(body);
    const claim = claimIn(body);
    arrivals.push({ channel: 'web', id, claim, isMarked: possibleDuplicate });
    if (response.closed) unanswered += 1;
    else response.once('close', () => (unanswered += response.writableFinished ? 0 : 1));
    if (now === 'resets') request.socket.resetAndDestroy();
    if (now === 'silent' || now === 'resets') return;
    if (now === 'slow') await delay(700);
    welcomed += 1;
    end(response, 204);
  }

  const server = createServer((request, response) => {
    // A daemon that is killed breaks off what it says.
    take(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    arrivals,
    unanswered: () => unanswered,
    behave(next, requests) {
      manner = next;
      left = requests;
      welcomed = 0;
    },
    welcomed: () => welcomed,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function end(response: ServerResponse, status: number): void {
  response.writeHead(status).end();
}
