import { isWaiting } from '../core/hook-event.ts';
import {
  type WaitEnding,
  type WaitingDimension,
  type WaitingFigures,
  type WaitingGap,
  type WaitingPeriod,
  type WaitingReport,
  type WaitingReturn,
  type WaitingRow,
  type WaitSeries,
} from '../core/waiting.ts';

/** Endings after which a wait counts: a person came back, or a newer question took its place. */
const counted: readonly WaitEnding[] = ['terminal', 'remote', 'activity', 'prompt', 'replaced'];

/** True for waits in the figures of a report. */
export function isCounted(ending: WaitEnding): boolean {
  return counted.includes(ending);
}

/** Summarizes the waits of a period by one of their properties. */
export function waitingReport(
  series: readonly WaitSeries[],
  {
    since,
    until,
    by,
    gaps,
  }: WaitingPeriod & { readonly by: WaitingDimension; readonly gaps: readonly WaitingGap[] },
): WaitingReport {
  const waits = series.filter(({ ending }) => isCounted(ending));
  return {
    since,
    until,
    by,
    rows: by === 'request' ? [] : rowsOf(waits, by),
    ...split(waits),
    returns: returnsOf(waits),
    unanswered: unansweredOf(series),
    excluded: { gaps: gaps.length, ms: waits.reduce((sum, { gapMs }) => sum + gapMs, 0) },
  };
}

function split(series: readonly WaitSeries[]): Pick<WaitingRow, 'asked' | 'done'> {
  return {
    asked: figuresOf(series.filter(({ kind }) => isWaiting(kind))),
    done: figuresOf(series.filter(({ kind }) => !isWaiting(kind))),
  };
}

function rowsOf(
  series: readonly WaitSeries[],
  by: Exclude<WaitingDimension, 'request'>,
): readonly WaitingRow[] {
  const rows = [...groupBy(series, (one) => one[by])].map(([key, members]) => ({
    key,
    ...split(members),
  }));
  const amount = by === 'day' ? () => 0 : totalOf;
  return rows.toSorted((a, b) => amount(b) - amount(a) || (a.key ?? '').localeCompare(b.key ?? ''));
}

function totalOf({ asked, done }: WaitingRow): number {
  return asked.totalMs + done.totalMs;
}

function returnsOf(series: readonly WaitSeries[]): readonly WaitingReturn[] {
  return [...groupBy(series, ({ channel, step }) => `${channel === null} ${channel} ${step}`)]
    .map(([, members]): WaitingReturn => {
      const sorted = sortedOf(members.map(({ returnsMs }) => returnsMs));
      return {
        channel: members[0]?.channel ?? null,
        step: members[0]?.step ?? null,
        count: members.reduce((sum, { waitsMs }) => sum + waitsMs.length, 0),
        p50Ms: percentileOf(sorted, 50),
        p95Ms: percentileOf(sorted, 95),
      };
    })
    .toSorted((a, b) => b.count - a.count || (a.step ?? -1) - (b.step ?? -1));
}

function unansweredOf(series: readonly WaitSeries[]): WaitingReport['unanswered'] {
  const others = series.filter(({ ending }) => !isCounted(ending));
  return Object.fromEntries(
    [...groupBy(others, ({ ending }) => ending)].map(([ending, members]) => [
      ending,
      members.reduce((sum, { waitsMs }) => sum + waitsMs.length, 0),
    ]),
  );
}

/** Statistics of these waits. */
export function figuresOf(
  series: readonly Pick<WaitSeries, 'waitsMs' | 'workingMs'>[],
): WaitingFigures {
  const sorted = sortedOf(series.map(({ waitsMs }) => waitsMs));
  return {
    count: sorted.length,
    totalMs: sorted.reduce((sum, ms) => sum + ms, 0),
    workingMs: series.reduce((sum, one) => sum + one.workingMs, 0),
    p50Ms: percentileOf(sorted, 50),
    p95Ms: percentileOf(sorted, 95),
  };
}

function sortedOf(lists: readonly (readonly number[])[]): Float64Array {
  const all = new Float64Array(lists.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const list of lists) {
    all.set(list, at);
    at += list.length;
  }
  // oxlint-disable-next-line unicorn/no-array-sort -- made here, and large
  return all.sort();
}

/** The smallest value that at least this share of the values does not exceed; null without values. */
function percentileOf(sorted: Float64Array, percent: number): number | null {
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? null;
}

export function groupBy<Member, Key>(
  members: readonly Member[],
  keyOf: (member: Member) => Key,
): ReadonlyMap<Key, readonly Member[]> {
  const groups = new Map<Key, Member[]>();
  for (const member of members) {
    const key = keyOf(member);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [member]);
    else group.push(member);
  }
  return groups;
}
