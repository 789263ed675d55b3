import { z } from 'zod';

export const fileChangeSchema = z.object({
  /** Relative to the session's directory if below it; the agent's own text. */
  path: z.string(),
  /** Lines; null if the tool does not report them. */
  added: z.number().nullable(),
  removed: z.number().nullable(),
});

/** A change that a tool made to a file. */
export type FileChange = Readonly<z.infer<typeof fileChangeSchema>>;

/** Maximum files stored per turn. */
const MOST_FILES = 200;
const MOST_NAMED = 3;

/** Merges changes into those of a turn: one entry per file, in the order of the first change. */
export function withChanges(
  before: readonly FileChange[],
  more: readonly FileChange[],
): readonly FileChange[] {
  if (more.length === 0) return before;
  const byPath = new Map(before.map((change) => [change.path, change]));
  for (const change of more) {
    const earlier = byPath.get(change.path);
    if (earlier === undefined && byPath.size >= MOST_FILES) continue;
    byPath.set(change.path, earlier === undefined ? change : sumOf(earlier, change));
  }
  return [...byPath.values()];
}

function sumOf(a: FileChange, b: FileChange): FileChange {
  return {
    path: a.path,
    added: knownSum(a.added, b.added),
    removed: knownSum(a.removed, b.removed),
  };
}

function knownSum(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : one + other;
}

/** "src/cart.ts +12 −3" */
export function fileChangeText({ path, added, removed }: FileChange): string {
  const counts = [
    added === null ? null : `+${added}`,
    removed === null ? null : `−${removed}`,
  ].filter((count) => count !== null);
  return [path, ...counts].join(' ');
}

/** "2 files changed: src/cart.ts +12 −3, src/till.ts +1 −0"; null for none. Changes made by commands are unknown. */
export function changesText(changes: readonly FileChange[]): string | null {
  if (changes.length === 0) return null;
  const named = changes.slice(0, MOST_NAMED).map(fileChangeText).join(', ');
  const left = changes.length - MOST_NAMED;
  const files = `${changes.length} ${changes.length === 1 ? 'file' : 'files'} changed`;
  return `${files}: ${named}${left > 0 ? ` and ${left} more` : ''}`;
}
