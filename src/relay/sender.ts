import { backoffMs } from '../platform/retry.ts';
import { type Clock, idleTimer, pause } from '../platform/time.ts';
import { countOf } from '../text/count.ts';
import { durationText } from '../text/duration.ts';
import { HookbellError } from '../platform/errors.ts';
import type { HookRecord } from '../core/hook-event.ts';
import type { Log } from '../platform/log.ts';
import { cutText, displayLine } from '../text/sanitize.ts';
import { CLOCK_WINDOW_MS, type RelayOutbox } from '../core/relay.ts';
import type { RelayLink, LinkTrouble, Sent } from './link.ts';
import { BATCH_BYTES, BATCH_EVENTS } from './wire.ts';

export interface SenderOptions {
  readonly outbox: RelayOutbox;
  /** The destination, as people know it. */
  readonly to: string;
  /** Adds what only this machine can read; the same events in the same order. Never rejects. */
  readonly complete: (records: readonly HookRecord[]) => Promise<readonly HookRecord[]>;
  /** Reads the token and creates the link; may throw a HookbellError, and is retried then. */
  readonly open: () => Promise<RelayLink>;
  /** Events that wait longer are given up, ms; after a failed attempt. */
  readonly keepMs: () => number;
  /** A problem that a person has to fix; null: it is fixed. */
  readonly onTrouble: (text: string | null) => void;
  readonly now: Clock;
  readonly log: Log;
  readonly random?: () => number;
  /** Waits; ends early when the signal fires. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** The state of the link, for `status`. */
export interface LinkState {
  readonly state: 'starting' | 'ok' | 'down' | 'refused';
  /** The last error; null while all is well. */
  readonly reason: string | null;
  /** When the other side last accepted events, Unix ms. */
  readonly lastAt: number | null;
}

export type Sender = ReturnType<typeof createSender>;

/** Poll interval while no wake-up arrives. */
const IDLE_MS = 60_000;
const LONGEST_PAUSE_MS = 30_000;
/** A rejected token stays rejected until a person acts; then the configuration is read again. */
const REFUSED_MS = 5 * 60_000;
const CLOCK_MS = 60_000;
const GIVE_UP_EVERY_MS = 3_600_000;
/** Short outages are normal; warn only after this long. */
const LONG_DOWN_MS = 86_400_000;

/**
 * Relays pending events to the other machine, in order, one batch at a time, and removes them from the outbox when that
 * machine has them on disk. Events sent twice because the response was lost are recognized there by id.
 */
export function createSender(options: SenderOptions) {
  const { outbox, to, onTrouble, now, log, random = Math.random } = options;
  const { wait = (ms, signal) => pause(ms, idleTimer, signal) } = options;
  const stopping = new AbortController();
  let waking = new AbortController();
  let link: RelayLink | null = null;
  let state: LinkState = { state: 'starting', reason: null, lastAt: null };
  let failures = 0;
  let gaveUpAt = Number.NEGATIVE_INFINITY;
  let running: Promise<void> = Promise.resolve();

  async function open(): Promise<RelayLink> {
    link ??= await options.open();
    return link;
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      waking = new AbortController();
      let pauseMs: number;
      try {
        pauseMs = await step();
      } catch (error) {
        failures += 1;
        pauseMs = backoffMs(failures, random(), { capMs: LONGEST_PAUSE_MS });
        log.warn({ err: error }, 'Cannot relay yet');
      }
      // Only an idle link is woken by new events: a link that is down waits for its time.
      const wakes = failures === 0 ? [waking.signal, stopping.signal] : [stopping.signal];
      if (pauseMs > 0) await wait(pauseMs, AbortSignal.any(wakes));
    }
  }

  /** Relays one batch; returns how long to wait then, ms. */
  async function step(): Promise<number> {
    const records = await outbox.batch({ limit: BATCH_EVENTS, maxBytes: BATCH_BYTES });
    if (records.length === 0) return IDLE_MS;
    const sent = await send(records);
    if (sent.type !== 'ok') return troubled(sent);
    await completeRelayed(records, sent.results);
    if (state.state !== 'ok') log.info({ to }, 'The relay link works');
    state = { state: 'ok', reason: null, lastAt: now() };
    failures = 0;
    onTrouble(null);
    return 0;
  }

  async function send(records: readonly HookRecord[]): Promise<Sent> {
    try {
      const whole = await options.complete(records);
      return await (await open()).send(whole, stopping.signal);
    } catch (error) {
      if (error instanceof HookbellError) return { type: 'refused', reason: error.message };
      throw error;
    }
  }

  async function completeRelayed(
    records: readonly HookRecord[],
    results: Extract<Sent, { type: 'ok' }>['results'],
  ): Promise<void> {
    const verdicts = new Map(results.map((result) => [result.id, result]));
    const outcomes = records.flatMap(({ event: { id } }) => {
      const verdict = verdicts.get(id);
      if (verdict === undefined) return [];
      const isRefused = verdict.verdict === 'refused';
      return [{ eventId: id, refusal: isRefused ? refusalText(to, verdict.reason ?? '') : null }];
    });
    // Otherwise the same batch would be resent immediately, forever.
    if (outcomes.length === 0) throw new Error('The response names none of the events');
    for (const { eventId, refusal } of outcomes) {
      if (refusal !== null) log.warn({ event: eventId, refusal }, 'A relayed event was refused');
    }
    await outbox.complete(outcomes);
  }

  async function troubled(trouble: LinkTrouble): Promise<number> {
    if (stopping.signal.aborted) return 0;
    failures += 1;
    const reason = troubleText(trouble, now());
    if (state.reason !== reason) log.warn({ to, reason }, 'Cannot relay');
    state = {
      ...state,
      state: trouble.type === 'refused' || trouble.type === 'clock' ? 'refused' : 'down',
      reason,
    };
    await giveUpOld();
    const pauseMs = backoffMs(failures, random(), { capMs: LONGEST_PAUSE_MS });
    if (trouble.type === 'refused') {
      // The token is read again before the next attempt: it may have been replaced.
      link?.close();
      link = null;
    }
    switch (trouble.type) {
      case 'unreachable': {
        const { count, since } = await outbox.backlog();
        if (since !== null && now() - since > LONG_DOWN_MS) {
          onTrouble(
            `${countOf(count, 'event')} could not be relayed to ${to} for more than a day: ${reason}`,
          );
        }
        return pauseMs;
      }
      case 'later':
        return Math.max(pauseMs, trouble.afterMs);
      case 'refused':
      case 'misunderstood':
        onTrouble(`Events wait to be relayed to ${to}: ${reason}`);
        return REFUSED_MS;
      case 'clock':
        onTrouble(`Events wait to be relayed to ${to}: ${reason}`);
        return CLOCK_MS;
    }
  }

  /**
   * The history keeps pending events, so they need an end; only after an attempt, or time without a network would end
   * them.
   */
  async function giveUpOld(): Promise<void> {
    if (Math.abs(now() - gaveUpAt) < GIVE_UP_EVERY_MS) return;
    gaveUpAt = now();
    const keepMs = options.keepMs();
    const count = await outbox.giveUp({
      keepMs,
      reason: `Not relayed to ${to}: it waited for ${durationText(keepMs)}`,
    });
    if (count === 0) return;
    log.warn({ count, to }, 'Gave up relaying old events');
    onTrouble(
      `${countOf(count, 'event')} could not be relayed to ${to} within ${durationText(keepMs)} ("history.keep"), and will not be`,
    );
  }

  return {
    start() {
      running = run();
    },
    /** Events may wait to be relayed. */
    wake() {
      waking.abort();
    },
    state: (): LinkState => state,
    /** Checks whether the other side responds and accepts the token; a sentence if not. */
    async check(): Promise<{ readonly ok: boolean; readonly summary: string }> {
      try {
        const greeted = await (await open()).greet(stopping.signal);
        if (greeted.type === 'refused') {
          link?.close();
          link = null;
        }
        if (greeted.type !== 'ok') return { ok: false, summary: troubleText(greeted, now()) };
        return { ok: true, summary: `${to} knows this machine as "${greeted.machine}"` };
      } catch (error) {
        if (error instanceof HookbellError) return { ok: false, summary: error.message };
        throw error;
      }
    },
    async stop() {
      stopping.abort();
      await running;
      link?.close();
    },
  };
}

/** Why the link does not work, as the end of a sentence. */
export function troubleText(trouble: LinkTrouble, now: number): string {
  if (trouble.type !== 'clock') return trouble.reason;
  const { aheadMs } = trouble;
  const localTime = new Date(now).toISOString();
  const there = new Date(now - aheadMs).toISOString();
  const way = aheadMs > 0 ? 'ahead of' : 'behind';
  return `the clock here is ${durationText(Math.abs(aheadMs))} ${way} the one there (${localTime} here, ${there} there), at most ${durationText(CLOCK_WINDOW_MS)} is allowed; correct the wrong clock`;
}

/** The other side's reason is foreign text. */
function refusalText(to: string, reason: string): string {
  const why = cutText(displayLine(reason), 200);
  return `Refused by ${to}: ${why === '' ? 'it gave no reason' : why}`;
}
