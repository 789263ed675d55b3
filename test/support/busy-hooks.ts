import { randomUUID } from 'node:crypto';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { loadDriver } from '../../src/store/sqlite/driver.ts';
import type { HookbellHome } from './hookbell-home.ts';
import { runProcess } from './run-process.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** An upgrade stops the daemon for several of these. */
const PAUSE_MS = 60;

export interface BusyHooks {
  /** The sessions of events whose hook ended well, in silence. */
  readonly sent: readonly string[];
  /** What the others said. */
  readonly failures: readonly string[];
  stop(): Promise<void>;
}

/** Runs a registered line over and over, until it is stopped; each time with an event of a new session. */
export function busyHooks({ env }: Pick<HookbellHome, 'env'>, line: string): BusyHooks {
  const sent: string[] = [];
  const failures: string[] = [];
  const stop = new AbortController();
  const loop = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      const id = randomUUID();
      const input = JSON.stringify({ hook_event_name: 'PostToolUse', session_id: id, cwd: '/tmp' });
      const { code, stderr } = await runProcess('sh', ['-c', line], { env, input });
      if (code === 0 && stderr === '') sent.push(id);
      else failures.push(`${code}: ${stderr}`);
      // What is upgraded meanwhile needs the processor too.
      await delay(PAUSE_MS);
    }
  };
  const looping = loop();
  return {
    sent,
    failures,
    async stop() {
      stop.abort();
      await looping;
    },
  };
}

/** The sessions of all events that a daemon returns. */
export async function sessionsOf({ ask }: Pick<HookbellHome, 'ask'>): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  let query: Record<string, string> | null = { limit: '1000' };
  while (query !== null) {
    const events: readonly {
      readonly eventId: string | null;
      readonly sessionId: string | null;
    }[] = await ask('GET /v1/history', { query });
    for (const { sessionId } of events) if (sessionId !== null) found.add(sessionId);
    const before = events.at(-1)?.eventId ?? null;
    query = before === null ? null : { limit: '1000', before };
  }
  return found;
}

/**
 * The sessions of all events in a database. Of a copy: a hook that found no daemon for a moment may have started one,
 * which keeps the file for itself.
 */
export async function sessionsIn(database: string): Promise<ReadonlySet<string>> {
  await using place = await temporaryDirectory();
  const copy = join(place.path, 'copy.db');
  await copyFile(database, copy);
  await copyFile(`${database}-wal`, `${copy}-wal`).catch(() => {});
  const driver = (await loadDriver())(copy);
  const rows = driver.prepare('SELECT session_id FROM events').all();
  driver.close();
  return new Set(rows.map((row) => String(Object.values(Object(row))[0])));
}
