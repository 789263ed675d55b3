import type { PersonDay } from '../data/telemetry.ts';
import { LANGUAGES } from '../data/vocabulary.ts';
import type { Tally } from '../tally.ts';
import { merge, sumOf, totalOf } from '../tally.ts';

export function productivityRow(date: string, entries: readonly PersonDay[]) {
  const extensions = merge(entries.map((entry) => entry.extensions));
  const created = sumOf(entries.map((entry) => entry.filesCreated));
  return {
    date,
    files_created: created,
    files_edited: totalOf(extensions) - created,
    by_extension: [...extensions].map(([extension, count]) => ({ extension, count })),
    by_language: [...languagesOf(extensions)].map(([language, count]) => ({ language, count })),
    git_commits: sumOf(entries.map((entry) => entry.commits)),
    git_prs_created: sumOf(entries.map((entry) => entry.pullRequests)),
  };
}

/** Files touched by language; several extensions may be one language. */
export function languagesOf(extensions: Tally): Tally {
  return merge(
    [...extensions].map(
      ([extension, count]) => new Map([[LANGUAGES.get(extension) ?? extension, count]]),
    ),
  );
}
