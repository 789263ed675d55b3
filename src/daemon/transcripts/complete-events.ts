import { completeEvent, type WantedTranscript, wantedTranscript } from '../../agents/complete.ts';
import type { HookRecord } from '../../core/hook-event.ts';
import { pause, type StartTimer, systemTimer, within } from '../../platform/time.ts';
import type { Projects } from '../projects.ts';

/** Some agents write to the transcript a moment after the hook has begun, ms. */
const AGAIN_MS = 25;
/** Events wait at most this long for all transcripts of one commit, ms. */
const PATIENCE_MS = 250;

export interface CompleteEventsOptions {
  /** The end of a transcript, as text; null if it cannot be read. */
  readonly readTail: (path: string) => Promise<string | null>;
  /** Applied to an event that got more text, such as redaction. */
  readonly prepare: (record: HookRecord) => HookRecord;
  /** Read within the same time. */
  readonly projects: Pick<Projects, 'look'>;
  readonly patienceMs?: number;
  readonly startTimer?: StartTimer;
}

/**
 * Reads what decisions need besides the payloads: the settings of projects, and the transcripts of agents whose
 * payloads omit the question, the last words of a turn, or that it failed. A transcript that cannot be read in time
 * adds nothing. Never rejects.
 */
export function completeEvents({
  readTail,
  prepare,
  projects,
  patienceMs = PATIENCE_MS,
  startTimer = systemTimer,
}: CompleteEventsOptions): (records: readonly HookRecord[]) => Promise<readonly HookRecord[]> {
  async function complete(
    record: HookRecord,
    { path, isLate }: WantedTranscript,
    over: AbortSignal,
  ): Promise<HookRecord> {
    let read: string | null = null;
    for (;;) {
      const tail = await readTail(path);
      const event = tail === null || tail === read ? record.event : completeEvent(record, tail);
      if (event !== record.event) return prepare({ ...record, event });
      read = tail;
      if (!isLate || over.aborted) return record;
      await pause(AGAIN_MS, startTimer, over);
    }
  }

  async function completeAll(records: readonly HookRecord[]): Promise<readonly HookRecord[]> {
    const wanted = records.map(({ event }) => wantedTranscript(event));
    if (wanted.every((transcript) => transcript === null)) return records;
    const over = new AbortController();
    const completed = await Promise.all(
      records.map(async (record, index) => {
        const transcript = wanted[index] ?? null;
        if (transcript === null) return record;
        const completing = complete(record, transcript, over.signal);
        return (await within(completing, patienceMs, startTimer)) ?? record;
      }),
    );
    over.abort();
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
