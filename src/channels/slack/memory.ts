import { join } from 'node:path';

import { z } from 'zod';

import type { Notification } from '../../core/notification.ts';
import { sha256 } from '../../platform/crypto.ts';
import type { JsonObject } from '../../platform/json.ts';
import { RecentMap } from '../../platform/recent-map.ts';
import { futureTime, MAX_RETRY_AFTER_MS } from '../../platform/retry.ts';
import { stateFile } from '../../platform/state-file.ts';

const MOST = 500;

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

/** The session's name in files and at Slack: a group key may name a project. Each recipient has a thread of it. */
export function sessionName({
  groupKey,
  recipient,
}: Pick<Notification, 'groupKey' | 'recipient'>): string {
  const person = recipient?.type === 'found' ? `\n${recipient.address}` : '';
  return sha256(`${groupKey}${person}`).slice(0, 16);
}

export type SlackMemory = ReturnType<typeof openMemory>;

/** What an app knows over restarts; an unreadable file counts as empty. @param app identifies app and channel in its name */
export function openMemory(stateDir: string, app: string, now: () => number) {
  const file = stateFile(join(stateDir, `slack-${sha256(app).slice(0, 16)}.json`), form);
  const stored = file.read();
  const threads = new RecentMap(MOST, stored?.threads);
  const pauses = new Map<string, number>(Object.entries(stored?.pauses ?? {}));
  let changes: readonly PostChange[] = stored?.changes ?? [];

  function save(): void {
    const state = { threads: [...threads], pauses: Object.fromEntries(pauses) };
    try {
      file.write({ ...state, changes: [...changes] });
    } catch {
      return;
    }
  }

  /** A clock that was set back must not make a pause longer than any that Slack can ask for. */
  const until = (method: string): number =>
    futureTime(pauses.get(method) ?? 0, MAX_RETRY_AFTER_MS, now());

  return {
    threads: {
      of: (session: string): Thread | null => threads.get(session) ?? null,
      set(session: string, one: Thread | null): void {
        if (one === null) threads.delete(session);
        else threads.set(session, one);
        save();
      },
    },
    /** When Slack takes the next call of a method, Unix ms; its limits are per method. */
    pauses: {
      until,
      set(method: string, time: number): void {
        for (const one of pauses.keys()) if (until(one) <= now()) pauses.delete(one);
        pauses.set(method, time);
        save();
      },
    },
    /** The pauses that are not over, by method. */
    paused: () =>
      [...pauses.keys()]
        .map((method) => ({ what: method, until: until(method) }))
        .filter((pause) => pause.until > now()),
    /** Changes of messages that wait: those of the daemon before, at first. */
    get changes() {
      return changes;
    },
    keepChanges(next: readonly PostChange[]): void {
      if (next.length === 0 && changes.length === 0) return;
      changes = next;
      save();
    },
  };
}
