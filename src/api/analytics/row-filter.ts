import type { Drift } from '../drift.ts';
import type { DayRange } from '../utc-day.ts';

/** What places a row; the second and third are on grouped and user rows. */
export interface PlacedRow {
  readonly date: string;
  readonly group_key?: unknown;
  readonly user_id?: unknown;
}

/**
 * A filter for the rows of one walk: windows and pages can overlap, so a row that came already is dropped, and
 * so is one outside the range, which is taken to include both ends.
 */
export function createRowFilter(
  { startDate, endDate }: DayRange,
  report: (drift: Drift) => void,
): (row: PlacedRow) => boolean {
  const seen = new Set<string>();
  return ({ date, group_key: group, user_id: user }) => {
    if (date < startDate || date > endDate) {
      report({ kind: 'out-of-range', jsonPath: '$.data[]' });
      return false;
    }
    const key = JSON.stringify([date, group, user]);
    if (seen.has(key)) {
      report({ kind: 'duplicate', jsonPath: '$.data[]' });
      return false;
    }
    seen.add(key);
    return true;
  };
}

/** Rows in order of their day; the service promises none. Rows of one day keep the order they came in. */
export function sortByDate<Row extends PlacedRow>(rows: readonly Row[]): Row[] {
  return rows.toSorted((one, other) =>
    one.date < other.date ? -1 : Number(one.date > other.date),
  );
}
