import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { z } from 'zod';

import type { Notification } from '../../core/notification.ts';
import { sha256 } from '../../platform/crypto.ts';
import { parseJson } from '../../platform/json.ts';
import { replaceFile } from '../../platform/replace-file.ts';

const MOST = 500;

/** The first message of a session's thread. */
const thread = z.object({ channel: z.string(), ts: z.string() });
export type Thread = z.output<typeof thread>;

const form = z.array(z.tuple([z.string(), thread]));

/** The threads of sessions, oldest first, across restarts. */
export interface Threads {
  of(session: string): Thread | null;
  set(session: string, thread: Thread | null): void;
}

/** The session's name in files and at Slack: a group key may name a project. */
export function sessionName({ groupKey }: Pick<Notification, 'groupKey'>): string {
  return sha256(groupKey).slice(0, 16);
}

/**
 * Opens the threads of an app: a file in the state directory. A file that cannot be read counts as empty, and one that cannot be
 * written is left out: the thread is then found by the metadata of its first message, or a second one begins.
 *
 * @param app identifies app and channel in the name of the file
 */
export function openThreads(stateDir: string, app: string): Threads {
  const path = join(stateDir, `slack-${sha256(app).slice(0, 16)}.json`);
  const threads = new Map(form.safeParse(readJson(path)).data ?? []);
  return {
    of: (session) => threads.get(session) ?? null,
    set(session, one) {
      threads.delete(session);
      if (one !== null) threads.set(session, one);
      const [oldest] = threads.keys();
      if (threads.size > MOST && oldest !== undefined) threads.delete(oldest);
      try {
        replaceFile(path, JSON.stringify([...threads]), { mode: 0o600 });
      } catch {
        return;
      }
    },
  };
}

function readJson(path: string): unknown {
  try {
    return parseJson(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
