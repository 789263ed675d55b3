import { join } from 'node:path';

import { z } from 'zod';

import type { Notification } from '../../core/notification.ts';
import { sha256 } from '../../platform/crypto.ts';
import type { JsonObject } from '../../platform/json.ts';
import { RecentMap } from '../../platform/recent-map.ts';
import { futureTime, MAX_RETRY_AFTER_MS } from '../../platform/retry.ts';
import { stateFile } from '../../platform/state-file.ts';

const MOST = 500;

/** The first message of a session's thread. */
const thread = z.object({ channel: z.string(), ts: z.string() });
export type Thread = z.output<typeof thread>;

/** A message to change; the parameters of `chat.update`. */
export type PostChange = JsonObject & { readonly channel: string; readonly ts: string };

const change = z.looseObject({ channel: z.string(), ts: z.string() });

const form = z.object({
  threads: z.array(z.tuple([z.string(), thread])),
  pauses: z.record(z.string(), z.number()),
  changes: z.array(change),
});

/** The threads of sessions, oldest first. */
export interface Threads {
  of(session: string): Thread | null;
  set(session: string, thread: Thread | null): void;
}

/** When Slack takes the next call of a method, whose limits are per method (https://docs.slack.dev/apis/web-api/rate-limits). */
export interface Pauses {
  /** Unix ms; 0: at any time. */
  until(method: string): number;
  set(method: string, until: number): void;
}

/** What an app knows of its workspace, across restarts. */
export interface SlackMemory {
  readonly threads: Threads;
  readonly pauses: Pauses;
  /** The pauses that are not over, by method. */
  readonly paused: () => readonly { readonly what: string; readonly until: number }[];
  /** Changes of messages that wait: those of the daemon before, at first. */
  readonly changes: readonly PostChange[];
  keepChanges(changes: readonly PostChange[]): void;
}

/** The session's name in files and at Slack: a group key may name a project. Each recipient has a thread of it. */
export function sessionName({
  groupKey,
  recipient,
}: Pick<Notification, 'groupKey' | 'recipient'>): string {
  const person = recipient?.type === 'found' ? `\n${recipient.address}` : '';
  return sha256(`${groupKey}${person}`).slice(0, 16);
}

/**
 * Opens the memory of an app: a file in the state directory. A file that cannot be read counts as empty, and one that cannot be
 * written is left out: a thread is then found by the metadata of its first message, or a second one begins.
 *
 * @param app identifies app and channel in the name of the file
 */
export function openMemory(stateDir: string, app: string, now: () => number): SlackMemory {
  const file = stateFile(join(stateDir, `slack-${sha256(app).slice(0, 16)}.json`), form);
  const stored = file.read();
  const threads = new RecentMap(MOST, stored?.threads);
  const pauses = new Map<string, number>(Object.entries(stored?.pauses ?? {}));
  let changes: readonly PostChange[] = stored?.changes ?? [];

  function save(): void {
    try {
      file.write({
        threads: [...threads],
        pauses: Object.fromEntries(pauses),
        changes: [...changes],
      });
    } catch {
      return;
    }
  }

  /** A clock that was set back must not make a pause longer than any that Slack can ask for. */
  const until = (method: string): number =>
    futureTime(pauses.get(method) ?? 0, MAX_RETRY_AFTER_MS, now());

  return {
    threads: {
      of: (session) => threads.get(session) ?? null,
      set(session, one) {
        if (one === null) threads.delete(session);
        else threads.set(session, one);
        save();
      },
    },
    pauses: {
      until,
      set(method, time) {
        for (const one of pauses.keys()) if (until(one) <= now()) pauses.delete(one);
        pauses.set(method, time);
        save();
      },
    },
    paused: () =>
      [...pauses.keys()]
        .map((method) => ({ what: method, until: until(method) }))
        .filter((pause) => pause.until > now()),
    get changes() {
      return changes;
    },
    keepChanges(next) {
      if (next.length === 0 && changes.length === 0) return;
      changes = next;
      save();
    },
  };
}
