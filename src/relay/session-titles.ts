import { type HookRecord, isWaiting } from '../core/hook-event.ts';
import type { ReadTranscriptTitle } from '../delivery/enrich.ts';
import { within } from '../platform/time.ts';
import { cutText } from '../text/sanitize.ts';

export interface SessionTitlesOptions {
  readonly readTranscriptTitle: ReadTranscriptTitle;
  /** Applied to an event that got a title, such as redaction. */
  readonly prepare: (record: HookRecord) => HookRecord;
  /** A batch waits at most this long for all transcripts, ms. */
  readonly patienceMs?: number;
}

/** Longer titles are cut before they are relayed, UTF-16 units. */
export const MOST_TITLE = 512;

/**
 * Adds the titles that only the transcripts on this machine hold, because the other machine cannot read them. Events
 * that notify no one stay as they are. Never rejects.
 */
export function sessionTitles({
  readTranscriptTitle,
  prepare,
  patienceMs = 250,
}: SessionTitlesOptions): (records: readonly HookRecord[]) => Promise<readonly HookRecord[]> {
  return async (records) => {
    const paths = new Set(records.flatMap((record) => transcriptOf(record) ?? []));
    if (paths.size === 0) return records;
    const titles = new Map(
      await Promise.all(
        [...paths].map(
          async (path) => [path, await within(readTranscriptTitle(path), patienceMs)] as const,
        ),
      ),
    );
    return records.map((record) => {
      const title = titles.get(transcriptOf(record) ?? '') ?? null;
      if (title === null) return record;
      return prepare({ ...record, event: { ...record.event, title: cutText(title, MOST_TITLE) } });
    });
  };
}

/** The transcript that may hold the missing title of an event; null if none is missing. */
function transcriptOf({ event }: HookRecord): string | null {
  const notifies = isWaiting(event.kind) || event.kind === 'turn.done' || event.failed;
  return notifies && event.title === null ? event.transcriptPath : null;
}
