import { readFileSync } from 'node:fs';

import { z } from 'zod';

import type { Outbound } from '../../platform/outbound/outbound-port.ts';
import { parseJson } from '../../platform/json.ts';
import { replaceFile } from '../../platform/replace-file.ts';
import { parseRetryAfter } from '../../platform/retry.ts';
import { type Connected, keepConnected } from '../../platform/rounds.ts';
import type { StartTimer } from '../../platform/time.ts';

/** Without a stored position, messages published up to this long before the start are read, s. */
const LOOK_BACK_S = 600;
/** How many messages are remembered as read … */
const MOST_READ = 200;
/** … and how many if no "keepalive" comes. */
const MOST_READ_AT_ONCE = 2_000;
/** The server sends an event at least every 45 s (`keepalive-interval`); after this silence the connection is dead, ms. */
const SILENCE_MS = 150_000;
const MAX_LINE = 65_536;
const MAX_WAIT_MS = 15_000;

const messageId = z.string().regex(/^[-\w]{1,64}$/);

const streamEvent = z.object({ id: messageId, event: z.string(), message: z.string().optional() });

export interface AnswerStreamOptions {
  /** Address of the topic, without a query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: Outbound['fetch'];
  readonly onMessage: (body: string) => void;
  /** File with the position and the ids of the messages read, so that a restart reads none again; unset: none. */
  readonly memory?: string;
  readonly onConnected: () => void;
  readonly startTimer: StartTimer;
  readonly now: () => number;
}

/**
 * Reads a topic until it is closed (https://docs.ntfy.sh/subscribe/api/), each message once. After a lost connection it
 * continues with the messages that it has not read, and so does the next stream with the same memory.
 *
 * A server sends new messages as soon as a connection begins, also before the earlier ones, and its first "keepalive"
 * after all of those (server/server.go, `handleSubscribeHTTP`). Until then a message proves nothing about earlier ones,
 * so the position from which the next connection reads stays.
 */
export function openAnswerStream(options: AnswerStreamOptions) {
  const { url, headers, startTimer, now } = options;
  const closing = new AbortController();
  // A server that no longer has this message sends all it has; buttons expire before that matters.
  const lookBack = String(Math.floor(now() / 1_000) - LOOK_BACK_S);
  const [position = lookBack, ...before] = remembered(options.memory);
  const read = new Set(before);
  let since = position;
  let latest = position;
  let trouble: string | null = 'not connected yet';

  async function connect(): Promise<Connected> {
    let wasOpen = false;
    const silence = new AbortController();
    const watch = () => startTimer(SILENCE_MS, () => silence.abort());
    let cancel = watch();
    const onData = (): void => {
      cancel();
      cancel = watch();
    };
    try {
      const response = await options.fetch(`${url}/json?since=${since}`, {
        headers,
        redirect: 'manual',
        signal: AbortSignal.any([closing.signal, silence.signal]),
      });
      if (response.status !== 200 || response.body === null) {
        trouble = `the server answered ${response.status}`;
        await response.body?.cancel();
        return { wasOpen, afterMs: parseRetryAfter(response.headers.get('retry-after'), now()) };
      }
      trouble = null;
      wasOpen = true;
      options.onConnected();
      for await (const line of linesOf(response.body, onData)) take(line);
      trouble = 'the connection was closed';
    } catch {
      trouble = silence.signal.aborted ? 'the server stopped sending' : 'no connection';
    } finally {
      cancel();
    }
    return { wasOpen, afterMs: null };
  }

  function take(line: string): void {
    const { data } = streamEvent.safeParse(parseJson(line));
    if (data?.event === 'keepalive' && since !== latest) {
      moveOn();
      remember();
    }
    if (data?.event !== 'message') return;
    latest = data.id;
    if (read.has(data.id)) return;
    options.onMessage(data.message ?? '');
    read.add(data.id);
    if (read.size > MOST_READ_AT_ONCE) moveOn();
    remember();
  }

  function moveOn(): void {
    since = latest;
    for (const id of [...read].slice(0, -MOST_READ)) read.delete(id);
  }

  function remember(): void {
    const { memory } = options;
    try {
      if (memory !== undefined) replaceFile(memory, [since, ...read].join('\n'), { mode: 0o600 });
    } catch {
      // Without the file, a press may count a second time after a restart.
    }
  }

  const { signal } = closing;
  const running = keepConnected(connect, { longestMs: MAX_WAIT_MS, startTimer, signal });
  return {
    /** The reason that the server did not accept the last connection, or null while it is connected. */
    trouble: (): string | null => trouble,
    async close(): Promise<void> {
      closing.abort();
      await running;
    },
  };
}

/** The position from which to read, and the ids of messages that were read; empty if there are none. */
function remembered(path: string | undefined): readonly string[] {
  if (path === undefined) return [];
  try {
    return z.array(messageId).parse(readFileSync(path, 'utf8').split('\n'));
  } catch {
    return [];
  }
}

/** The lines of a stream. @throws RangeError if one is longer than `MAX_LINE` bytes */
async function* linesOf(
  stream: AsyncIterable<Uint8Array>,
  onData: () => void,
): AsyncGenerator<string> {
  let rest = Buffer.alloc(0);
  for await (const chunk of stream) {
    onData();
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      yield rest.toString('utf8', 0, end);
      rest = rest.subarray(end + 1);
    }
    if (rest.length > MAX_LINE) throw new RangeError('A line of the stream is too long');
  }
}
