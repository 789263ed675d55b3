import { isAbsolute, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { completeEvent, wantedTranscript } from '../agents/complete.ts';
import type { FarFiles } from '../core/far-files.ts';
import type { HookRecord } from '../core/hook-event.ts';
import type { Projects } from './projects.ts';

/** Events wait at most this long for all transcripts of one commit, ms. */
const PATIENCE_MS = 250;

export interface CompleteEventsOptions {
  readonly files: FarFiles;
  readonly home: string;
  /** The user whose files are read; null where user ids do not exist. */
  readonly uid: number | null;
  /** Applied to an event that got more text, such as redaction. */
  readonly prepare: (record: HookRecord) => HookRecord;
  /** Read within the same time. */
  readonly projects: Pick<Projects, 'look'>;
  readonly patienceMs?: number;
}

/**
 * Reads what decisions need besides the payloads: the settings of projects, and the transcripts of agents whose
 * payloads omit the question, the last words of a turn, or that it failed. A transcript that cannot be read in time
 * adds nothing. Never rejects.
 */
export function completeEvents({
  files,
  home,
  uid,
  prepare,
  projects,
  patienceMs = PATIENCE_MS,
}: CompleteEventsOptions): (records: readonly HookRecord[]) => Promise<readonly HookRecord[]> {
  async function complete(record: HookRecord, transcript: string): Promise<HookRecord> {
    const path = transcript.startsWith('~/') ? join(home, transcript.slice(2)) : transcript;
    if (!isAbsolute(path)) return record;
    try {
      const tail = await files.run('transcriptTail', { path, uid });
      const event = tail === null ? record.event : completeEvent(record, tail);
      return event === record.event ? record : prepare({ ...record, event });
    } catch {
      // Its file system does not respond, or is not what it seems: the event stays as it was sent.
      return record;
    }
  }

  async function completeAll(records: readonly HookRecord[]): Promise<readonly HookRecord[]> {
    const wanted = records.map(({ event }) => wantedTranscript(event));
    if (wanted.every((path) => path === null)) return records;
    const patience = new AbortController();
    const late = delay(patienceMs, null, { signal: patience.signal }).catch(() => null);
    const completed = await Promise.all(
      records.map(async (record, index) => {
        const path = wanted[index] ?? null;
        if (path === null) return record;
        return (await Promise.race([complete(record, path), late])) ?? record;
      }),
    );
    patience.abort();
    return completed;
  }

  return async (records) => {
    const [completed] = await Promise.all([
      completeAll(records),
      projects.look(records.map(({ event }) => event.cwd)),
    ]);
    return completed;
  };
}
