const formatters = new Map<string, Intl.DateTimeFormat>();

/** Local time of an instant: minutes since midnight, and the day of the week (0 = Sunday). */
export function localTime(
  at: number,
  timezone: string,
): { readonly minutes: number; readonly weekday: number } {
  const format = formatterOf(timezone, 'en-US', {
    hourCycle: 'h23',
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
  });
  const parts = partsOf(format, at);
  const minutes = Number(parts.get('hour')) * 60 + Number(parts.get('minute'));
  return { minutes, weekday: weekdays.indexOf(parts.get('weekday') ?? '') };
}

/** The name of the machine's time zone, such as "Europe/Berlin". The first call loads the data of all zones: about 20 ms. */
export function localTimezone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

export function isTimezone(name: string): boolean {
  try {
    return Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** The local date of an instant: "2026-01-05". */
export function localDay(at: number, timezone: string): string {
  // Canada writes dates in this form.
  return formatterOf(timezone, 'en-CA', {}).format(at);
}

/** A time for people, with its day unless it is that of `from`: "15:45", or "Thu 16 Jul, 15:45". */
export function dayAndTime(at: number, from: number, timezone: string): string {
  const { minutes } = localTime(at, timezone);
  const clock = [Math.floor(minutes / 60), minutes % 60]
    .map((number) => String(number).padStart(2, '0'))
    .join(':');
  if (localDay(at, timezone) === localDay(from, timezone)) return clock;
  const dayOnly = { weekday: 'short', day: 'numeric', month: 'short' } as const;
  const parts = partsOf(formatterOf(timezone, 'en-US', dayOnly), at);
  return `${parts.get('weekday') ?? ''} ${parts.get('day') ?? ''} ${parts.get('month') ?? ''}, ${clock}`;
}

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** Kept, because creating one takes longer than a decision may. */
function formatterOf(
  timeZone: string,
  locale: string,
  options: Intl.DateTimeFormatOptions,
): Intl.DateTimeFormat {
  const key = [timeZone, locale, ...Object.keys(options)].join();
  const made = formatters.get(key) ?? new Intl.DateTimeFormat(locale, { timeZone, ...options });
  formatters.set(key, made);
  return made;
}

function partsOf(format: Intl.DateTimeFormat, at: number): ReadonlyMap<string, string> {
  return new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
}

/** Wall time, Unix ms. Injected, so that tests set the clock. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

/** Calls back once, after `ms` on the monotonic clock; the returned function cancels it. */
export type StartTimer = (ms: number, callback: () => void) => () => void;

export const systemTimer: StartTimer = (ms, callback) => {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
};

/** As `systemTimer`, but does not keep the process running. */
export const idleTimer: StartTimer = (ms, callback) => {
  const timer = setTimeout(callback, ms).unref();
  return () => clearTimeout(timer);
};

/** The result of a promise, or null if it takes longer than `ms`. Rejects as the promise does. */
export async function within<Result>(
  work: Promise<Result>,
  ms: number,
  startTimer: StartTimer = systemTimer,
): Promise<Result | null> {
  const over = new AbortController();
  const late = pause(ms, startTimer, over.signal).then(() => null);
  return Promise.race([work, late]).finally(() => over.abort(null));
}

/** Asks every `everyMs` until there is an answer; null after the timeout. */
export async function pollUntil<Answer>(
  ask: () => Promise<Answer | null>,
  timeoutMs: number,
  everyMs = 25,
): Promise<Answer | null> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== null || performance.now() > deadline) return answer;
    await pause(everyMs, systemTimer);
  }
}

/** Waits `ms`, or until `signal` fires; with Infinity, only that. Never rejects: the caller checks the signal. */
export function pause(ms: number, startTimer: StartTimer, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const over = (): void => {
      cancel();
      signal?.removeEventListener('abort', over);
      resolve();
    };
    const cancel = ms === Infinity ? () => {} : startTimer(ms, over);
    signal?.addEventListener('abort', over);
  });
}

/** Unix ms as ISO 8601 in UTC. */
export function isoTime(at: number): string {
  return new Date(at).toISOString();
}

/** As `isoTime`; null stays null. */
export function isoOrNull(at: number | null): string | null {
  return at === null ? null : isoTime(at);
}

/** Never twice at a time. The timer keeps no process alive. Returns what ends it. */
export function repeatEvery(
  work: () => Promise<unknown>,
  everyMs: number,
  onError: (error: unknown) => void,
): () => void {
  let isRunning = false;
  async function run(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    await work().catch(onError);
    isRunning = false;
  }
  const timer = setInterval(() => void run(), everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
