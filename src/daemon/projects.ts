import { within } from '../platform/time.ts';
import { readTrusted } from '../config/project-file.ts';
import type { FarFiles } from '../core/far-files.ts';
import type { ProjectSettings } from '../core/policy.ts';
import { RecentMap } from '../platform/recent-map.ts';

export type Projects = ReturnType<typeof createProjects>;

interface ProjectsOptions {
  /** The list of projects that a person trusted. */
  readonly trusted: string;
  readonly uid: number | null;
  /** Monotonic time, ms. */
  readonly monotonic?: () => number;
  readonly files: FarFiles;
  /** Events wait at most this long for all directories of one commit, ms. */
  readonly patienceMs?: number;
}

const FRESH_MS = 1_000;
const PATIENCE_MS = 250;
const MOST_KEPT = 1_000;

/** Project settings, read before events of the project are decided upon. */
export function createProjects(options: ProjectsOptions) {
  const { trusted, uid, files, patienceMs = PATIENCE_MS } = options;
  const { monotonic = () => performance.now() } = options;
  const cache = new RecentMap<
    string,
    { readonly at: number; readonly settings: ProjectSettings | null }
  >(MOST_KEPT);
  const looking = new Set<string>();

  function isFresh(directory: string): boolean {
    const found = cache.get(directory);
    return found !== undefined && monotonic() - found.at < FRESH_MS;
  }

  async function lookAt(directory: string, list: ReadonlyMap<string, string>): Promise<void> {
    looking.add(directory);
    try {
      const settings = await files.run('projectSettings', {
        path: directory,
        uid,
        trusted: Object.fromEntries(list),
      });
      cache.set(directory, { at: monotonic(), settings });
    } catch {
      // If a drive does not respond, the last settings read from the directory stay in force.
    } finally {
      looking.delete(directory);
    }
  }

  async function lookAtAll(directories: readonly string[]): Promise<void> {
    const list = await readTrusted(trusted);
    await Promise.all(directories.map((directory) => lookAt(directory, list)));
  }

  return {
    /** Reads these directories, except those read just before. Never rejects, and takes a bounded time. */
    async look(directories: readonly (string | null)[]) {
      const wanted = new Set(directories.filter((directory) => directory !== null));
      const due = [...wanted].filter((directory) => !isFresh(directory) && !looking.has(directory));
      if (due.length === 0) return;
      await within(lookAtAll(due), patienceMs);
    },
    /** As last read; null if the project has no settings. */
    of: (directory: string | null) =>
      directory === null ? null : (cache.get(directory)?.settings ?? null),
  };
}
