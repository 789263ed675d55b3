import type { RequestCounts, RequestSeries, WaitingRow } from '../../core/waiting.ts';
import type { ParseShell } from '../../platform/shell-syntax.ts';
import { cutMiddle, displayLine } from '../../text/sanitize.ts';
import { figuresOf, groupBy, isCounted } from '../waiting-report.ts';
import { requestPattern, type RequestPattern } from './request-pattern.ts';

/** An answer within this time was given without reading, ms. */
const AT_ONCE_MS = 1_000;
const NAME_LENGTH = 160;
/** Patterns are kept between reports, because parsing takes most of the time. */
const MOST_KNOWN = 50_000;

/** Summarizes requests by what they are instances of; the longest total first. Those that cannot be known share the key null. */
export function createRequestRows(
  parse: ParseShell,
): (series: readonly RequestSeries[]) => readonly WaitingRow[] {
  const known = new Map<string, RequestPattern | null>();

  function patternOf({ asked, tool }: RequestSeries): RequestPattern | null {
    const key = `${tool} ${asked?.action} ${asked?.text}`;
    let pattern = known.get(key);
    if (pattern === undefined) {
      if (known.size >= MOST_KNOWN) known.clear();
      pattern = requestPattern({ asked, tool }, parse);
      known.set(key, pattern);
    }
    return pattern;
  }

  return (series) => {
    const found = series.map((one) => ({ ...one, pattern: patternOf(one) }));
    return [...groupBy(found, ({ pattern }) => pattern?.counted.name ?? null)]
      .map(([name, members]): WaitingRow => ({
        key: name === null ? null : cutMiddle(displayLine(name), NAME_LENGTH),
        asked: figuresOf(members.filter(({ ending }) => isCounted(ending)).map(asFigures)),
        done: figuresOf([]),
        request: countsOf(members),
      }))
      .toSorted((a, b) => b.asked.totalMs - a.asked.totalMs);
  };
}

function asFigures({ waitsMs }: RequestSeries): {
  readonly waitsMs: readonly number[];
  readonly workingMs: number;
} {
  return { waitsMs, workingMs: 0 };
}

function countsOf(
  members: readonly (RequestSeries & { readonly pattern: RequestPattern | null })[],
): RequestCounts {
  const count = (which: (one: RequestSeries) => boolean): number =>
    members.filter(which).reduce((sum, { waitsMs }) => sum + waitsMs.length, 0);
  const countBy = (nameOf: (one: RequestSeries) => string): Record<string, number> =>
    Object.fromEntries(
      [...groupBy(members, nameOf)].map(([name, ones]) => [
        name,
        ones.reduce((sum, { waitsMs }) => sum + waitsMs.length, 0),
      ]),
    );
  return {
    allowed: count(({ answer }) => answer === 'allowed'),
    denied: count(({ answer }) => answer === 'denied'),
    elsewhere: count(({ ending }) => ending === 'remote'),
    unanswered: count(({ ending }) => !isCounted(ending)),
    atOnce: members
      .filter(({ answer, ending }) => answer === 'allowed' && ending !== 'remote')
      .reduce((sum, { waitsMs }) => sum + waitsMs.filter((ms) => ms <= AT_ONCE_MS).length, 0),
    risks: [...new Set(members.flatMap(({ pattern }) => pattern?.risks ?? []))],
    agents: countBy(({ agent }) => agent),
    projects: countBy(({ project }) => project ?? ''),
  };
}
