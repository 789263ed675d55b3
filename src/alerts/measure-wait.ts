import { isWaiting } from '../core/hook-event.ts';
import {
  type EndedWait,
  type MeasureWait,
  type WaitingGap,
  type WorkingHours,
} from '../core/waiting.ts';
import { localDay } from '../platform/time.ts';
import { rangeEnd, includesTime, isWithin } from './quiet.ts';

/** The end of a turn counts as waiting for the next prompt up to this long, ms: then the work has moved on. */
export const DONE_LIMIT_MS = 3_600_000;

/** From `from` (inclusive) to `to` (exclusive), Unix ms. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** Computes the length of waits by these working hours, whose time zone also decides their days. */
export function measureBy(hours: WorkingHours): MeasureWait {
  return (wait, gaps) => {
    const { since, until } = wait;
    const spans = spansWithout({ from: since, to: Math.max(since, until) }, gaps);
    const counted = firstOf(spans, limitOf(wait));
    return {
      day: localDay(since, hours.timezone),
      waitedMs: lengthOf(counted),
      workingMs: counted.reduce((sum, span) => sum + workingMs(span, hours), 0),
      gapMs: Math.max(0, until - since) - lengthOf(spans),
    };
  };
}

function limitOf({ kind }: EndedWait): number {
  return isWaiting(kind) ? Number.POSITIVE_INFINITY : DONE_LIMIT_MS;
}

/** The parts of a span outside of the gaps, which may overlap one another, in order. */
export function spansWithout(whole: Span, gaps: readonly Omit<WaitingGap, 'cause'>[]): Span[] {
  const spans: Span[] = [];
  let from = whole.from;
  for (const gap of gaps.toSorted((one, other) => one.from - other.from)) {
    if (gap.to <= from) continue;
    if (gap.from >= whole.to) break;
    if (gap.from > from) spans.push({ from, to: gap.from });
    from = gap.to;
  }
  if (from < whole.to) spans.push({ from, to: whole.to });
  return spans;
}

/** The first `ms` of the spans. */
function firstOf(spans: readonly Span[], ms: number): Span[] {
  let left = ms;
  return spans.flatMap(({ from, to }) => {
    const length = Math.min(left, to - from);
    left -= length;
    return length > 0 ? [{ from, to: from + length }] : [];
  });
}

function lengthOf(spans: readonly Span[]): number {
  return spans.reduce((sum, { from, to }) => sum + (to - from), 0);
}

/** How much of a span lies within working hours, ms. */
export function workingMs({ from, to }: Span, hours: WorkingHours): number {
  const others = { ...hours, from: hours.to, to: hours.from };
  let sum = 0;
  let at = from;
  while (at < to) {
    const end = Math.min(to, rangeEnd(isWithin(hours, at) ? hours : others, at));
    if (includesTime(hours, at)) sum += end - at;
    at = end;
  }
  return sum;
}
