import { pause, type StartTimer } from '../../platform/time.ts';
import type { PostChange, SlackMemory } from './memory.ts';
import type { CallSlack } from './web-api.ts';

/** `chat.update` takes about 50 calls a minute (https://docs.slack.dev/apis/web-api/rate-limits). */
const EVERY_MS = 1_200;
const TIMEOUT_MS = 10_000;
/** Maximum attempts per change; a pause that Slack asks for does not count. */
const MOST_ATTEMPTS = 5;

export type PostChanges = ReturnType<typeof createPostChanges>;

/** One at a time, the latest of each message. Those that wait or are left at the end of the daemon are kept for the next one. */
export function createPostChanges(
  call: CallSlack,
  startTimer: StartTimer,
  memory: Pick<SlackMemory, 'changes' | 'keepChanges'>,
) {
  const closing = new AbortController();
  const pending = new Map<string, { readonly change: PostChange; attempts: number }>();
  let running: Promise<void> | null = null;

  const keep = (): void => memory.keepChanges([...pending.values()].map(({ change }) => change));

  function add(change: PostChange): void {
    const key = `${change.channel} ${change.ts}`;
    pending.delete(key);
    pending.set(key, { change, attempts: 0 });
    // An older change of this message must not be made by the next daemon.
    if (memory.changes.length > 0) keep();
    running ??= run();
  }

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
      if (isAsked || memory.changes.length > 0) keep();
      const asked = outcome.type === 'retry' ? (outcome.afterMs ?? EVERY_MS) : 0;
      await pause(Math.max(EVERY_MS, asked), startTimer, closing.signal);
    }
    running = null;
  }

  for (const change of memory.changes.slice()) add(change);
  return {
    add,
    async close(): Promise<void> {
      closing.abort();
      await running;
      keep();
    },
  };
}
