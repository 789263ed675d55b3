import type { WaitingFigures, WaitingReport } from '../../core/waiting.ts';
import type { NamedCount } from '../client/index.ts';
import { durationText } from '../../text/duration.ts';
import type { Redact } from '../../text/redact.ts';
import {
  bars,
  course,
  type DigestDays,
  type Figure,
  figures,
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

export async function readDigestWaiting(
  read: (query: {
    readonly by: 'project' | 'day' | 'request';
    readonly since: number;
    readonly until: number;
  }) => Promise<WaitingReport>,
  period: DigestDays,
): Promise<DigestWaiting> {
  const days = periodOf(period.days);
  const [projects, before, whole, requests] = await Promise.all([
    read({ by: 'project', ...days }),
    read({ by: 'project', ...periodOf(period.before) }),
    read({ by: 'day', ...periodOf(period.course) }),
    read({ by: 'request', ...days }),
  ]);
  return { projects, before, course: whole, requests };
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
  period: Pick<DigestDays, 'course'>,
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
      figures(
        { label: 'until answers', value: durationText(asked.totalMs), change },
        time('median', asked.p50Ms),
        time('95th percentile', asked.p95Ms),
        time('at work', asked.count === 0 ? null : asked.workingMs),
        time('until next prompts', done.count === 0 ? null : done.totalMs),
      ),
      course('until answers, day by day', pointsOf(waiting.course, period.course)),
      bars('until answers, by project', namedIn(projects.rows, 'no project'), redact, inMinutes),
      bars(
        'until answers, by request',
        namedIn(waiting.requests.rows.slice(0, MOST_REQUESTS), 'unlike any other'),
        redact,
        inMinutes,
      ),
      bars(
        'brought back by',
        returns.map(({ channel, step, count }) => ({
          name: channel === null ? 'no notification' : `${channel}, step ${(step ?? 0) + 1}`,
          count,
        })),
        redact,
      ),
    ],
  };
}

const inMinutes = { textOf: (minutes: number) => durationText(minutes * 60_000) };

function namedIn(rows: WaitingReport['rows'], unnamed: string): readonly NamedCount[] {
  return rows.map(({ key, asked }) => ({ name: key ?? unnamed, count: minutesOf(asked) }));
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
