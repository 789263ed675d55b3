import { setTimeout as delay } from 'node:timers/promises';

import { findProjectFile } from '../config/project-file.ts';
import { settingsOf } from '../config/project-settings.ts';
import { readTrusted } from '../config/trusted-projects.ts';
import type { ProjectSettings } from '../core/project-settings.ts';

/** What the files of projects ask for, looked at before events of theirs are decided upon. */
export interface Projects {
  /** Looks at these directories, those that were looked at just now excepted. Never rejects, and takes a bounded time. */
  look(directories: readonly (string | null)[]): Promise<void>;
  /** As it was when it was looked at last; null where the project asks for nothing. */
  of(directory: string | null): ProjectSettings | null;
}

export interface ProjectsOptions {
  /** The list of what a person has trusted. */
  readonly trusted: string;
  readonly uid: number | null;
  /** Time that does not jump, ms. */
  readonly monotonic?: () => number;
  readonly find?: typeof findProjectFile;
  /** Events do not wait longer for all the directories of one commit, ms. */
  readonly patienceMs?: number;
}

const FRESH_MS = 1_000;
const PATIENCE_MS = 250;
const MOST_KEPT = 1_000;

export function createProjects(options: ProjectsOptions): Projects {
  const { trusted, uid, find = findProjectFile, patienceMs = PATIENCE_MS } = options;
  const { monotonic = () => performance.now() } = options;
  const known = new Map<
    string,
    { readonly at: number; readonly settings: ProjectSettings | null }
  >();
  // A dead network drive holds each look for ever: one at a time, so that it never takes more than one thread.
  let isLooking = false;

  function isFresh(directory: string): boolean {
    const found = known.get(directory);
    return found !== undefined && monotonic() - found.at < FRESH_MS;
  }

  async function lookAt(directories: readonly string[]): Promise<void> {
    const list = await readTrusted(trusted);
    for (const directory of directories) {
      const file = await find(directory, uid);
      const settings = file === null ? null : await settingsOf(file, list);
      known.delete(directory);
      known.set(directory, { at: monotonic(), settings });
    }
    for (const oldest of [...known.keys()].slice(0, Math.max(0, known.size - MOST_KEPT))) {
      known.delete(oldest);
    }
  }

  return {
    async look(directories) {
      const wanted = new Set(directories.filter((directory) => directory !== null));
      const due = [...wanted].filter((directory) => !isFresh(directory));
      if (due.length === 0 || isLooking) return;
      isLooking = true;
      const patience = new AbortController();
      const looking = lookAt(due)
        .catch(() => undefined)
        .finally(() => {
          isLooking = false;
          patience.abort();
        });
      const { signal } = patience;
      await Promise.race([
        looking,
        delay(patienceMs, null, { signal, ref: false }).catch(() => null),
      ]);
    },
    of: (directory) => (directory === null ? null : (known.get(directory)?.settings ?? null)),
  };
}
