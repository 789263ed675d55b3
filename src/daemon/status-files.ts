import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import type { Session, SessionStore } from '../core/session.ts';
import { lineFormats, statusLine, type WaitingSession } from '../core/status-line.ts';
import type { Log } from '../platform/log.ts';
import { replaceFile } from '../platform/replace-file.ts';
import { type Clock, idleTimer } from '../platform/time.ts';

const MOST = 50;
/** Changes within this time are written together, ms. */
const TOGETHER_MS = 200;

/** What a bar calls a session. */
export function waitingOf(sessions: readonly Session[]): readonly WaitingSession[] {
  return sessions.map(({ project, title, agent, stateSince }) => ({
    name: project ?? title ?? agent,
    since: stateSince,
  }));
}

/**
 * Keeps the line of `hookbell line` in files, one for each format, so that a bar reads one instead of starting a process. A file is
 * replaced when its line changes, and empty while no session waits or no daemon runs.
 *
 * @param folder below the state directory
 */
export function createStatusFiles({
  store,
  folder,
  now,
  log,
}: {
  readonly store: { readonly sessions: Pick<SessionStore, 'list'> };
  readonly folder: string;
  readonly now: Clock;
  readonly log: Log;
}) {
  const written = new Map<string, string>();
  let working: Promise<void> = Promise.resolve();
  let cancel: (() => void) | null = null;

  function write(waiting: readonly WaitingSession[]): void {
    for (const format of lineFormats) {
      const line = `${statusLine(waiting, now(), format)}\n`;
      if (written.get(format) === line) continue;
      replaceFile(join(folder, format), line, { mode: 0o600 });
      written.set(format, line);
    }
  }

  async function update(): Promise<void> {
    try {
      write(waitingOf(await store.sessions.list({ limit: MOST, states: ['waiting'] })));
    } catch (err) {
      log.debug({ err }, 'Cannot write the line for bars');
    }
  }

  /** Sessions may have changed. */
  function changed(): void {
    cancel ??= idleTimer(TOGETHER_MS, () => {
      cancel = null;
      working = working.then(update);
    });
  }

  return {
    changed,
    start() {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      changed();
    },
    async stop() {
      cancel?.();
      await working;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
