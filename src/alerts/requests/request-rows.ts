import { type HookEvent, REGISTRATION_JITTER_MS } from '../../core/hook-event.ts';
import type { RequestCounts, RequestName, RequestSeries, WaitingRow } from '../../core/waiting.ts';
import type { ParseShell } from '../../platform/shell-syntax.ts';
import { cutMiddle, displayLine } from '../../text/sanitize.ts';
import { figuresOf, groupBy, isCounted } from '../waiting-report.ts';
import { requestPattern } from './request-pattern.ts';

/** An answer within this time was given without reading, ms. */
const AT_ONCE_MS = 1_000;
const NAME_LENGTH = 160;

/** What a request is counted as, as it is stored with its wait. */
export function requestName(
  event: Pick<HookEvent, 'asked' | 'tool'>,
  parse: ParseShell,
): RequestName {
  const pattern = requestPattern(event, parse);
  if (pattern === null) return null;
  return [cutMiddle(displayLine(pattern.counted.name), NAME_LENGTH), pattern.risks];
}

/** Whether a person may have answered: a mode, a rule or a hook is faster than any. */
export function isOfPerson(
  { answer, ending }: Pick<RequestSeries, 'answer' | 'ending'>,
  waitedMs: number,
): boolean {
  return answer !== 'allowed' || ending === 'remote' || waitedMs >= REGISTRATION_JITTER_MS;
}

/** Summarizes requests by what they are instances of; the longest total first. Those that cannot be known share the key null. */
export function requestRows(series: readonly RequestSeries[]): readonly WaitingRow[] {
  const ofPeople = series
    .map((one) => ({ ...one, waitsMs: one.waitsMs.filter((ms) => isOfPerson(one, ms)) }))
    .filter(({ waitsMs }) => waitsMs.length > 0);
  return [...groupBy(ofPeople, ({ request }) => request?.[0] ?? null)]
    .map(([key, members]): WaitingRow => ({
      key,
      asked: figuresOf(members.filter(({ ending }) => isCounted(ending)).map(asFigures)),
      done: figuresOf([]),
      request: countsOf(members),
    }))
    .toSorted((a, b) => b.asked.totalMs - a.asked.totalMs);
}

function asFigures({ waitsMs }: RequestSeries): {
  readonly waitsMs: readonly number[];
  readonly workingMs: number;
} {
  return { waitsMs, workingMs: 0 };
}

function countsOf(members: readonly RequestSeries[]): RequestCounts {
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
    risks: [...new Set(members.flatMap(({ request }) => request?.[1] ?? []))],
    agents: countBy(({ agent }) => agent),
    projects: countBy(({ project }) => project ?? ''),
  };
}
