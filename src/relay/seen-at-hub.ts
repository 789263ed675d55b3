import { z } from 'zod';

import { REPORT_SEEN, SeenAnswer, SeenRequest } from '../core/hub/machine-requests.ts';
import type { Log } from '../platform/log.ts';
import { backoffMs } from '../platform/retry.ts';
import { stateFile } from '../platform/state-file.ts';
import { type Clock, idleTimer, type StartTimer } from '../platform/time.ts';
import type { HubReply } from './link.ts';

export interface SeenAtHubOptions {
  /** Keeps what the hub does not know yet over a restart. */
  readonly path: string;
  /** Asks the hub, with a signed request; null: this machine relays to none. */
  readonly askHub: (path: string, body: object) => Promise<HubReply | null>;
  readonly now: Clock;
  readonly log: Log;
  readonly random?: () => number;
  readonly startTimer?: StartTimer;
}

/** An alert that is older has expired, ms. */
const OLDEST_MS = 86_400_000;
/** More are hardly a person's, and the latest say the most. */
const MOST_WAITING = 200;
const LONGEST_PAUSE_MS = 300_000;

type Outcome = { readonly type: 'done'; readonly count: number } | { readonly type: 'away' };

/** Reports to the hub which alerts the person acknowledged at this machine, so that it stops notifying. */
export function createSeenAtHub(options: SeenAtHubOptions) {
  const { path, askHub, now, log, random = Math.random, startTimer = idleTimer } = options;
  const file = stateFile(path, z.array(SeenRequest));
  let waiting: readonly SeenRequest[] = [];
  let failures = 0;
  let cancel: (() => void) | null = null;
  let sending: Promise<void> = Promise.resolve();
  let isStopped = false;

  async function send(request: SeenRequest): Promise<Outcome> {
    const reply = await askHub(REPORT_SEEN, request).catch(() => null);
    if (reply === null) return { type: 'done', count: 0 };
    if (reply.type === 'ok') {
      return { type: 'done', count: SeenAnswer.safeParse(reply.answer).data?.count ?? 0 };
    }
    if (reply.type === 'misunderstood') return { type: 'done', count: 0 };
    return { type: 'away' };
  }

  function keep(next: readonly SeenRequest[]): void {
    waiting = next.slice(-MOST_WAITING);
    try {
      file.write([...waiting]);
    } catch (error) {
      log.warn({ err: error }, 'Cannot keep what the hub does not know yet over a restart');
    }
  }

  function sendLater(): void {
    if (isStopped || cancel !== null || waiting.length === 0) return;
    failures += 1;
    cancel = startTimer(backoffMs(failures, random(), { capMs: LONGEST_PAUSE_MS }), () => {
      cancel = null;
      sending = sendWaiting();
    });
  }

  async function sendWaiting(): Promise<void> {
    const oldest = now() - OLDEST_MS;
    for (const request of waiting) {
      if ((request.at ?? 0) > oldest && (await send(request)).type === 'away') break;
      if (isStopped) return;
      failures = 0;
      keep(waiting.filter((one) => one !== request));
    }
    sendLater();
  }

  return {
    start() {
      waiting = file.read() ?? [];
      sendLater();
    },
    /**
     * @param sessions their keys; null: all sessions of this machine
     * @returns how many alerts the hub acknowledged; 0 without a hub, or if it is away: then it gets the report later.
     * Never rejects
     */
    async report(sessions: readonly string[] | null): Promise<number> {
      const request = { sessions: sessions === null ? null : [...sessions], at: now() };
      const outcome = await send(request);
      if (outcome.type === 'done') return outcome.count;
      keep([...waiting, request]);
      sendLater();
      return 0;
    },
    async stop() {
      isStopped = true;
      cancel?.();
      await sending;
    },
  };
}
