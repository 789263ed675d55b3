/**
 * The most likely candidate for a misspelt word, or null if none is close: at most two errors (a letter added, missing,
 * wrong or swapped with its neighbour), and fewer for short words.
 */
export function suggest(word: string, candidates: readonly string[]): string | null {
  if (word.length > 64) return null;
  const wanted = word.toLowerCase();
  let best: string | null = null;
  let bestSlips = Math.min(2, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of candidates) {
    const slips = slipsBetween(wanted, candidate.toLowerCase());
    if (slips < bestSlips) {
      best = candidate;
      bestSlips = slips;
    }
  }
  return best;
}

/** The suggestion as the end of a sentence: `, did you mean "x"?`, or nothing. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const suggestion = suggest(word, candidates);
  return suggestion === null ? '' : `, did you mean "${suggestion}"?`;
}

/** Optimal string alignment distance. */
function slipsBetween(left: string, right: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const same = left[row - 1] === right[column - 1];
      const choices = [
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (same ? 0 : 1),
      ];
      if (left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]) {
        choices.push(at(beforeLast, column - 2) + 1);
      }
      current.push(Math.min(...choices));
    }
    beforeLast = last;
    last = current;
  }
  return at(last, right.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
