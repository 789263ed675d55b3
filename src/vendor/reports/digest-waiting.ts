import type { WaitingFigures, WaitingReport } from '../../core/waiting.ts';
import { durationText } from '../../text/duration.ts';
import type { Redact } from '../../text/redact.ts';
import {
  barsOf,
  type DigestDays,
  type Figure,
  percentChange,
  type Section,
} from './digest-blocks.ts';

/** Waiting time on this machine, as a digest shows it. */
export interface DigestWaiting {
  /** Of the days of the digest, by project. */
  readonly projects: WaitingReport;
  /** Of the same days of the week before. */
  readonly before: WaitingReport;
  /** Of the longer course, by day. */
  readonly course: WaitingReport;
  /** Of the days of the digest, by request. */
  readonly requests: WaitingReport;
}

/** Reads the waiting time of a digest's days. */
export async function readDigestWaiting(
  read: (query: {
    readonly by: 'project' | 'day' | 'request';
    readonly since: number;
    readonly until: number;
  }) => Promise<WaitingReport>,
  { days, before, course }: DigestDays,
): Promise<DigestWaiting> {
  const [projects, earlier, whole, requests] = await Promise.all([
    read({ by: 'project', ...periodOf(days) }),
    read({ by: 'project', ...periodOf(before) }),
    read({ by: 'day', ...periodOf(course) }),
    read({ by: 'request', ...periodOf(days) }),
  ]);
  return { projects, before: earlier, course: whole, requests };
}

/** What to look at first; `hookbell waiting --by request` has the others. */
const MOST_REQUESTS = 3;
const DAY_MS = 86_400_000;

function periodOf({ startDate, endDate }: DigestDays['days']) {
  return { since: Date.parse(startDate), until: Date.parse(endDate) + DAY_MS };
}

/** How long agents waited for people; null if it is not available, or none waited. */
export function waitingSection(
  waiting: DigestWaiting | null,
  { course }: Pick<DigestDays, 'course'>,
  redact: Redact,
): Section | null {
  if (waiting === null) return null;
  const { projects, before } = waiting;
  const { asked, done, returns } = projects;
  if (asked.count + done.count === 0) return null;
  const change = percentChange(asked.totalMs, before.asked.totalMs);
  return {
    title: 'Waiting for people',
    blocks: [
      {
        type: 'figures',
        figures: [
          { label: 'until answers', value: durationText(asked.totalMs), change },
          time('median', asked.p50Ms),
          time('95th percentile', asked.p95Ms),
          time('at work', asked.count === 0 ? null : asked.workingMs),
          time('until next prompts', done.count === 0 ? null : done.totalMs),
        ],
      },
      {
        type: 'course',
        title: 'until answers, day by day',
        points: pointsOf(waiting.course, course),
      },
      {
        type: 'bars',
        title: 'until answers, by project',
        bars: barsOf(
          projects.rows.map(({ key, asked: figures }) => ({
            name: key ?? 'no project',
            count: minutesOf(figures),
          })),
          redact,
          { textOf: (minutes) => durationText(minutes * 60_000) },
        ),
      },
      {
        type: 'bars',
        title: 'until answers, by request',
        bars: barsOf(
          waiting.requests.rows.slice(0, MOST_REQUESTS).map(({ key, asked: figures }) => ({
            name: key ?? 'unlike any other',
            count: minutesOf(figures),
          })),
          redact,
          { textOf: (minutes) => durationText(minutes * 60_000) },
        ),
      },
      {
        type: 'bars',
        title: 'brought back by',
        bars: barsOf(
          returns.map(({ channel, step, count }) => ({
            name: channel === null ? 'no notification' : `${channel}, step ${(step ?? 0) + 1}`,
            count,
          })),
          redact,
        ),
      },
    ],
  };
}

function time(label: string, ms: number | null): Figure {
  return { label, value: ms === null ? '-' : durationText(ms), change: null };
}

function minutesOf({ totalMs }: WaitingFigures): number {
  return totalMs / 60_000;
}

/** Days without a wait have no column: the daemon may not have run. */
function pointsOf({ rows }: WaitingReport, { startDate, endDate }: DigestDays['course']) {
  const byDay = new Map(rows.map(({ key, asked }) => [key, minutesOf(asked)]));
  const points = [];
  for (let at = Date.parse(startDate); at <= Date.parse(endDate); at += DAY_MS) {
    const day = new Date(at).toISOString().slice(0, 10);
    points.push({ day, amount: byDay.get(day) ?? null });
  }
  return points;
}
