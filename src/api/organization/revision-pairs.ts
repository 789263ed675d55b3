import type { ControlChange } from './controls.ts';

export interface RevisionPair {
  readonly change: ControlChange;
  /** The next lower revision present; null for the oldest. Numbers may have gaps. */
  readonly before: ControlChange | null;
}

/** Pairs each change with the one before it, also across pages. Changes come by revision, descending. */
export async function* pairRevisions(
  changes: AsyncIterable<ControlChange>,
): AsyncGenerator<RevisionPair, void, undefined> {
  let newer: ControlChange | null = null;
  for await (const change of changes) {
    // A page that grew at the top while it was walked repeats its end on the next one.
    if (newer !== null && change.revision >= newer.revision) continue;
    if (newer !== null) yield { change: newer, before: change };
    newer = change;
  }
  if (newer !== null) yield { change: newer, before: null };
}
