import { z } from 'zod';

import type { CreditRate, DigestPolicy } from '../../config/report-schema.ts';
import { personNamed } from '../../core/looked-up.ts';
import { PERSONAL_DIGEST, type PollerMemory } from '../../core/source-event.ts';
import { localTime } from '../../platform/time.ts';
import {
  addDays,
  type AnalyticsOptions,
  type DayRange,
  type Methods,
  type PagedOptions,
} from '../client/index.ts';
import type { DigestAudit } from '../reports/digest-audit.ts';
import { type Digest, digestDays } from '../reports/digest-blocks.ts';
import { digestHtml, digestText } from '../reports/digest-html.ts';
import { peopleWithCredits, personalDigest } from '../reports/digest-people.ts';
import {
  createDigest,
  type DigestAuditWanted,
  type DigestRows,
  hasDay,
  readDigestAudit,
  readDigestRows,
} from '../reports/digest-report.ts';
import { readDigestWaiting } from '../reports/digest-waiting.ts';
import { createDailyJob, type DayWork } from './daily-job.ts';
import type { CreatePoller, PollerParts } from './poller.ts';

export interface DigestPollerOptions extends Pick<
  PollerParts,
  'redactor' | 'usage' | 'waiting' | 'raise' | 'now' | 'signal'
> {
  readonly policy: DigestPolicy;
  readonly rate: CreditRate | null;
  readonly analytics: Omit<Methods<'analytics'>, 'users'>;
  /** Readiness reports and control changes of these days, if watched. */
  readonly audit: (days: DayRange, options: PagedOptions) => Promise<DigestAudit>;
  readonly memory: PollerMemory;
}

export const digestJob: CreatePoller<{
  readonly digest: DigestPolicy;
  readonly rate: CreditRate | null;
  readonly audit: DigestAuditWanted;
}> = ({ digest: policy, rate, audit }, parts) => {
  const { work, send } = createDigestPoller({
    ...parts,
    policy,
    rate,
    analytics: parts.api.analytics,
    audit: (days, options) => readDigestAudit(parts.api, audit, days, options),
    memory: parts.memory('digest'),
  });
  const { schedule } = policy;
  const job = createDailyJob({ ...parts, schedule, work, memory: parts.memory('digest-day') });
  return { ...job, sendNow: send };
};

const memorySchema = z.object({ sent: z.string() });

/** Raises a daily or weekly digest, as an event of kind `digest` with a page for channels that can show one. */
export function createDigestPoller(options: DigestPollerOptions): {
  readonly work: DayWork;
  /** Sends one immediately, with the available data; returns its title. Rejects as the client does. */
  readonly send: () => Promise<string>;
} {
  const { policy, analytics, memory, now, signal } = options;

  /** A machine that was off on that day sends it later. */
  async function isDue(day: string): Promise<boolean> {
    if (policy.every === 'day') return true;
    if (localTime(now(), policy.schedule.timezone).weekday === policy.weekday) return true;
    const stored = memorySchema.safeParse(await memory.read()).data;
    return stored !== undefined && addDays(stored.sent, 7) <= day;
  }

  const ask = (day: string, call: AnalyticsOptions): Promise<DigestRows> =>
    readDigestRows(analytics, day, { ...call, signal });

  return {
    async work(day, { mayWait }) {
      if (!(await isDue(day))) return 'done';
      const rows = await ask(day, { priority: 'background' });
      const isThere = hasDay(rows, day);
      if (!isThere && mayWait) return 'waiting';
      await raiseDigest(rows, day, `digest ${policy.every} ${day}`, options, {
        priority: 'background',
      });
      await memory.write({ sent: day });
      return isThere ? 'done' : 'waiting';
    },
    async send() {
      const at = now();
      const day = addDays(new Date(at).toISOString().slice(0, 10), -1);
      return raiseDigest(await ask(day, {}), day, `digest asked for at ${at}`, options, {});
    },
  };
}

async function raiseDigest(
  rows: DigestRows,
  day: string,
  id: string,
  { policy, rate, usage, waiting, raise, audit: readAudit, redactor, signal }: DigestPollerOptions,
  call: PagedOptions,
): Promise<string> {
  const { every, users } = policy;
  const period = digestDays(day, every);
  const { days } = period;
  const { startDate, endDate } = days;
  const counted = await usage({ from: Date.parse(startDate), to: Date.parse(addDays(endDate, 1)) });
  const audit = await readAudit(days, { ...call, signal });
  const digest = createDigest(rows, day, {
    every,
    users,
    rate,
    own: counted,
    waiting: await readDigestWaiting(waiting, period),
    audit,
    redactor,
  });
  await raise({
    ...eventOf(digest),
    id,
    event: every === 'day' ? 'digest.daily' : 'digest.weekly',
    about: 'digest',
    payload: { page: digestHtml(digest) },
  });
  if (policy.each.length > 0) await raiseForEach(rows.tokens, day, id, { policy, rate, raise });
  return digest.title;
}

function eventOf(digest: Digest) {
  const [headline = digest.title, ...details] = digestText(digest).split('\n');
  return { kind: 'digest', failed: false, headline, details: details.join('\n').trim() } as const;
}

/** Sends each user of credits a digest of only their usage. */
async function raiseForEach(
  rows: DigestRows['tokens'],
  day: string,
  id: string,
  { policy: { every }, rate, raise }: Pick<DigestPollerOptions, 'policy' | 'rate' | 'raise'>,
): Promise<void> {
  for (const person of peopleWithCredits(rows, day, every)) {
    const digest = personalDigest(rows, day, { person, every, rate });
    await raise({
      ...eventOf(digest),
      id: `${id} of ${person}`,
      event: PERSONAL_DIGEST,
      about: `digest of ${person}`,
      payload: { page: digestHtml(digest), concerns: personNamed(person) },
    });
  }
}
