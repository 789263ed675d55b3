/** What a trace says of the envelopes that were removed. */
export interface Removals {
  readonly removed: number;
  /** Files removed without waiting for the disk: the last write to the log, or any write since they were read. */
  readonly unsynced: number;
}

/** The calls to trace; `strace` is to name files (-y) and threads (-f). */
export const PROBED_CALLS = 'openat,write,pwrite64,fsync,fdatasync,unlink,unlinkat';

/**
 * Looks, in what `strace` wrote down of a daemon, whether each envelope was removed only after its commit was on disk:
 * between its opening and its removal the log of the database was synced, and nothing was written to it since.
 */
export function removalsIn(trace: string): Removals {
  const openedAt = new Map<string, number>();
  const syncing = new Set<string>();
  let syncs = 0;
  let isDirty = false;
  let removed = 0;
  let unsynced = 0;

  for (const line of trace.split('\n')) {
    const thread = /^\d+/.exec(line)?.[0] ?? '';
    const envelope = /\/spool\/([0-9a-z-]{16,64})"/.exec(line)?.[1];
    if (/\bopenat\(/.test(line) && envelope !== undefined) openedAt.set(envelope, syncs);
    if (/\b(?:write|pwrite64)\(\d+<[^>]*-wal>/.test(line)) isDirty = true;
    const isSync = /\bf(?:data)?sync\(\d+<[^>]*-wal>/.test(line);
    if (isSync && line.includes('unfinished')) syncing.add(thread);
    const isOver = isSync || (/\bf(?:data)?sync resumed>/.test(line) && syncing.delete(thread));
    if (isOver && line.endsWith(' = 0')) {
      syncs += 1;
      isDirty = false;
    }
    if (/\bunlink(?:at)?\(/.test(line) && envelope !== undefined) {
      removed += 1;
      if (isDirty || openedAt.get(envelope) === syncs) unsynced += 1;
    }
  }
  return { removed, unsynced };
}
