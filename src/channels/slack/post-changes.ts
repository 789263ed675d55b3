import type { JsonObject } from '../../platform/json.ts';
import { pause, type StartTimer } from '../../platform/time.ts';
import type { CallSlack } from './web-api.ts';

/** `chat.update` takes about 50 calls a minute (https://docs.slack.dev/apis/web-api/rate-limits). */
const EVERY_MS = 1_200;
const TIMEOUT_MS = 10_000;
/** Of each change; a pause that Slack asks for does not count. */
const MOST_ATTEMPTS = 5;

/** A message to change; the parameters of `chat.update`. */
export type PostChange = JsonObject & { readonly channel: string; readonly ts: string };

/** Changes of messages that can wait: one at a time, the latest of each message. */
export interface PostChanges {
  add(change: PostChange): void;
  close(): Promise<void>;
}

export function createPostChanges(call: CallSlack, startTimer: StartTimer): PostChanges {
  const closing = new AbortController();
  const pending = new Map<string, { readonly change: PostChange; attempts: number }>();
  let running: Promise<void> | null = null;

  async function run(): Promise<void> {
    for (;;) {
      const [first] = pending;
      if (first === undefined || closing.signal.aborted) break;
      const [key, entry] = first;
      const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(TIMEOUT_MS)]);
      const { outcome } = await call('chat.update', entry.change, signal);
      const isAsked = outcome.type === 'retry' && outcome.afterMs !== undefined;
      if (!isAsked) entry.attempts += 1;
      const isOver = outcome.type !== 'retry' || entry.attempts >= MOST_ATTEMPTS;
      // A later change of the same message may have replaced it meanwhile.
      if (isOver && pending.get(key) === entry) pending.delete(key);
      const asked = outcome.type === 'retry' ? (outcome.afterMs ?? EVERY_MS) : 0;
      await pause(Math.max(EVERY_MS, asked), startTimer, closing.signal);
    }
    running = null;
  }

  return {
    add(change) {
      const key = `${change.channel} ${change.ts}`;
      pending.delete(key);
      pending.set(key, { change, attempts: 0 });
      running ??= run();
    },
    async close() {
      closing.abort();
      await running;
    },
  };
}
