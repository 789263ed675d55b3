import type { Question, Questions } from '../core/question.ts';
import { HookbellError } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import { RecentMap } from '../platform/recent-map.ts';
import { backoffMs } from '../platform/retry.ts';
import { type Clock, idleTimer, pause } from '../platform/time.ts';
import { displayLine } from '../text/sanitize.ts';
import {
  type AnswerOutcome,
  EXCHANGE_WAIT_MS,
  type HubAnswer,
  MOST_REPORTED,
  type Report,
  reportedOf,
} from './exchange-wire.ts';
import type { Exchange, Greeted, HubLink } from './link.ts';

/** The requests that are held on this machine. */
export interface HeldRequests extends Questions {
  /** How a request ended; null: it is open or unknown. */
  ended(id: string): Question | null;
}

export interface ExchangerOptions {
  readonly questions: HeldRequests;
  /** Opens a link that can have two requests under way; may throw a HookbellError, and is retried then. */
  readonly open: () => Promise<HubLink>;
  readonly now: Clock;
  readonly log: Log;
  readonly random?: () => number;
  /** Waits; ends early when the signal fires. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

export type Exchanger = ReturnType<typeof createExchanger>;

const LONGEST_PAUSE_MS = 10_000;
/** Retry interval if the remote refuses or is not a hub, ms. */
const REFUSED_MS = 60_000;
/** The event of a reported request may arrive this much later, ms. */
const MISSING_MS = 100;
/** Minimum interval between reports of changes, ms. */
const IDLE_MS = 3_600_000;
/** Outcomes are kept in case an answer arrives again. */
const MOST_TAKEN = 200;

/**
 * Reports held requests to a hub whenever they change, and, while one is held, keeps a request open for answers. Both are
 * independent of each other, of the hooks and of what this machine does with the requests: without a hub, nothing is
 * different.
 */
export function createExchanger(options: ExchangerOptions) {
  const { questions, now, log, random = Math.random } = options;
  const { wait = (ms, signal) => pause(ms, idleTimer, signal) } = options;
  const stopping = new AbortController();
  let change = new AbortController();
  /** Ends the pause after a failure, or for an event in transit. */
  let recovery = new AbortController();
  let link: HubLink | null = null;
  let running: Promise<unknown> = Promise.resolve();
  /** Requests that the hub may believe to be open, as last reported. */
  const reported = new Map<string, Question>();
  /** The last report that the hub confirmed; null: none yet. */
  let known: string | null = null;
  const outcomes = new RecentMap<string, AnswerOutcome>(MOST_TAKEN);
  const taken = new Map<string, AnswerOutcome>();
  /** The answers that are being passed to the agent. */
  const taking = new Set<string>();
  /** Ends the request that waits for answers. */
  let polling: AbortController | null = null;

  const open = (): readonly Question[] =>
    questions
      .shown()
      .map(({ question }) => question)
      .slice(0, MOST_REPORTED);
  const isHeld = (): boolean => open().some(({ state }) => state === 'held');

  /** Ends with the next change. */
  const rest = (ms: number): Promise<void> =>
    wait(ms, AbortSignal.any([change.signal, stopping.signal]));

  const restOrRecover = (ms: number): Promise<void> =>
    wait(ms, AbortSignal.any([change.signal, recovery.signal, stopping.signal]));

  async function linked(): Promise<HubLink> {
    link ??= await options.open();
    return link;
  }

  async function exchange(asked: Report, signal: AbortSignal): Promise<Exchange> {
    try {
      return await (await linked()).exchange(asked, signal);
    } catch (error) {
      if (error instanceof HookbellError) return { type: 'refused', reason: error.message };
      throw error;
    }
  }

  /** Retries until the remote is a hub. */
  async function findHub(): Promise<void> {
    for (let failures = 0; !stopping.signal.aborted;) {
      const greeted = await greet();
      if (greeted.type === 'ok' && greeted.isHub) return;
      failures += 1;
      if (isDown(greeted)) {
        await pauseAfter(failures);
        continue;
      }
      dropLink();
      if (greeted.type === 'ok') await wait(REFUSED_MS, stopping.signal);
      else await pauseOrRecover(refusedMs(failures));
      while (!isHeld() && !stopping.signal.aborted) await rest(IDLE_MS);
    }
  }

  async function greet(): Promise<Greeted> {
    try {
      return await (await linked()).greet(stopping.signal);
    } catch (error) {
      if (error instanceof HookbellError) return { type: 'refused', reason: error.message };
      throw error;
    }
  }

  /** Another process of the hub may not know a new token yet. */
  const refusedMs = (failures: number): number =>
    backoffMs(failures, random(), { capMs: REFUSED_MS });

  const pauseOrRecover = (ms: number): Promise<void> =>
    wait(ms, AbortSignal.any([recovery.signal, stopping.signal]));

  /** Short while a person may be waiting; otherwise an unreachable hub is retried rarely. */
  async function pauseAfter(failures: number): Promise<void> {
    if (isHeld()) await pauseOrRecover(backoffMs(failures, random(), { capMs: LONGEST_PAUSE_MS }));
    else await rest(refusedMs(failures));
  }

  function dropLink(): void {
    link?.close();
    link = null;
  }

  /** Null if the hub knows everything. */
  function nextReport(): { readonly report: Report; readonly state: string } | null {
    const current = open();
    const ids = new Set(current.map(({ id }) => id));
    const ended = [...reported.values()]
      .filter(({ id }) => !ids.has(id))
      .map((question): Question => {
        const over = { state: 'released', closedAt: now(), reason: 'It is over' } as const;
        return questions.ended(question.id) ?? { ...question, ...over };
      })
      .slice(0, MOST_REPORTED);
    const listed = [...current, ...ended].map(reportedOf);
    const state = JSON.stringify(current);
    if (state === known && ended.length === 0 && outcomes.size === 0) return null;
    return { report: { ...reportOf(0), questions: listed }, state };
  }

  function reportOf(waitMs: number): Report {
    const some = [...outcomes.values()].slice(0, MOST_REPORTED);
    return { version: 1, waitMs, at: now(), outcomes: some };
  }

  async function sendReport(): Promise<void> {
    for (let failures = 0, misses = 0; !stopping.signal.aborted;) {
      const next = nextReport();
      if (next === null) {
        await rest(IDLE_MS);
        continue;
      }
      const listed = next.report.questions ?? [];
      for (const question of open()) reported.set(question.id, question);
      const got = await exchange(next.report, stopping.signal);
      if (got.type !== 'ok') {
        failures += 1;
        await troubled(got, failures);
        continue;
      }
      failures = 0;
      reportSent(next.report);
      const { missing } = got.exchanged;
      known = missing.length === 0 ? next.state : null;
      const isOpen = new Set(open().map(({ id }) => id));
      for (const one of listed)
        if (one !== null && !isOpen.has(one.id) && one.closedAt !== null) reported.delete(one.id);
      misses = missing.length === 0 ? 0 : misses + 1;
      if (misses > 0) await restOrRecover(Math.min(MISSING_MS * 2 ** misses, LONGEST_PAUSE_MS));
    }
  }

  function reportSent({ outcomes: sent }: Report): void {
    for (const outcome of sent) {
      if (outcomes.get(outcome.answer) === outcome) outcomes.delete(outcome.answer);
    }
  }

  async function poll(): Promise<void> {
    for (let failures = 0; !stopping.signal.aborted;) {
      if (!isHeld()) {
        await rest(IDLE_MS);
        continue;
      }
      const over = new AbortController();
      const asked = reportOf(EXCHANGE_WAIT_MS);
      polling = over;
      const got = await exchange(asked, AbortSignal.any([over.signal, stopping.signal]));
      polling = null;
      if (over.signal.aborted) continue;
      if (got.type !== 'ok') {
        failures += 1;
        await troubled(got, failures);
        continue;
      }
      failures = 0;
      reportSent(asked);
      await Promise.all(got.exchanged.answers.map((answer) => take(answer)));
    }
  }
  async function take(answer: HubAnswer | null): Promise<void> {
    if (answer === null) return;
    const { question, answer: id, by, via, ...given } = answer;
    const before = taken.get(id);
    if (before !== undefined) {
      outcomes.set(id, before);
      return;
    }
    if (taking.has(id)) return;
    taking.add(id);
    const result = await questions.answer(question, {
      ...given,
      by: displayLine(by),
      via: `${displayLine(via)} through the hub`,
    });
    const outcome = { question, answer: id, refusal: result.ok ? null : result.reason };
    log.info({ question, by, via, refusal: outcome.refusal }, 'Received an answer from the hub');
    taken.set(id, outcome);
    taking.delete(id);
    outcomes.set(id, outcome);
    wake();
  }

  async function troubled(trouble: Exclude<Exchange, { type: 'ok' }>, failures: number) {
    if (stopping.signal.aborted) return;
    if (failures === 1) log.info({ trouble }, 'Cannot exchange answers with the hub');
    if (trouble.type === 'refused') dropLink();
    if (isDown(trouble)) await pauseAfter(failures);
    else await pauseOrRecover(refusedMs(failures));
  }

  function wake(): void {
    const former = change;
    change = new AbortController();
    former.abort();
  }

  async function run(): Promise<void> {
    try {
      await findHub();
      await Promise.all([sendReport(), poll()]);
    } catch (error) {
      if (!stopping.signal.aborted)
        log.error({ err: error }, 'Cannot exchange answers with the hub');
    }
  }

  return {
    start() {
      running = run();
    },
    /** A request is held, answered, or no longer held. */
    changed() {
      if (!isHeld()) polling?.abort();
      wake();
    },
    /** The hub has just accepted events: requests are reported again now, after a failure or where it lacked their events. */
    works() {
      recovery.abort();
      recovery = new AbortController();
    },
    async stop() {
      stopping.abort();
      await running;
      dropLink();
    },
  };
}

/** Whether it may work again soon. */
const isDown = ({ type }: Exchange | Greeted): boolean =>
  type === 'unreachable' || type === 'later';
