import type { Redact } from '../../text/redact.ts';
import {
  type ActivityRow,
  clientLabel,
  daysOf,
  type ProductivityRow,
  type TokenRow,
  type ToolRow,
} from '../client/index.ts';
import { costText, creditAmount } from './check-budgets.ts';
import type { DigestOptions } from './digest-audit.ts';
import {
  addUp,
  bars,
  course,
  courseOf,
  type Digest,
  digestDays,
  type DigestDays,
  type Figure,
  figure,
  figures,
  knownSum,
  type Section,
  summed,
  rowsWithin,
} from './digest-blocks.ts';
import { creditSeries } from './series.ts';

/**
 * Active users. The service counts people; counts are never added up, because a person active on two days, in two weeks or on
 * two clients is one person.
 */
export function activitySection(
  rows: readonly ActivityRow[],
  period: DigestDays,
  redact: Redact,
): Section | null {
  const { days } = period;
  const last = lastOf(rows, days.endDate);
  if (last === null) return null;
  const clients = Object.entries(last.daily_active_users_by_client ?? {});
  return {
    title: 'Activity',
    blocks: [
      figures(
        figure(`active users on ${last.date}`, last.daily_active_users ?? 0),
        figure('in the last 7 days', last.weekly_active_users ?? 0),
        figure('in the last 30 days', last.monthly_active_users ?? 0),
        summed('sessions', rows, period, (row) => row.sessions),
        summed('messages', rows, period, (row) => row.messages),
      ),
      course(
        'active users per day',
        courseOf(rows, period.course, (row) => row.daily_active_users),
      ),
      bars(
        `where on ${last.date} (a person on two clients counts in both)`,
        clients.map(([client, count]) => ({ name: clientLabel(client), count })),
        redact,
      ),
    ],
  };
}

/** Autonomy of agents on the last day: medians of several days cannot be combined. */
export function autonomySection(
  rows: readonly ToolRow[],
  { days }: DigestDays,
  redact: Redact,
): Section | null {
  const last = lastOf(rows, days.endDate);
  if (last === null) return null;
  const levels = Object.entries(last.tool_autonomy_level_ratio ?? {}).flatMap(([name, share]) =>
    typeof share === 'number' ? [{ name: name.replaceAll('_', ' '), count: share }] : [],
  );
  return {
    title: `Autonomy on ${last.date}`,
    blocks: [
      figures(
        ratio('tool calls per user turn, mean', last.autonomy_ratio_avg),
        ratio('median', last.autonomy_ratio_p50),
        ratio('90th percentile', last.autonomy_ratio_p90),
      ),
      bars('by level', levels, redact, { textOf: (share) => `${Math.round(share * 100)} %` }),
    ],
  };
}

export function productivitySection(
  rows: readonly ProductivityRow[],
  period: DigestDays,
  redact: Redact,
): Section | null {
  const found = rowsWithin(rows, period.days);
  if (found.length === 0) return null;
  const languages = found.flatMap(({ by_language: list }) =>
    (list ?? []).map(({ language, count }) => ({ name: language ?? '', count: count ?? 0 })),
  );
  return {
    title: 'Productivity',
    blocks: [
      figures(
        summed('files created', rows, period, (row) => row.files_created),
        summed('files edited', rows, period, (row) => row.files_edited),
        summed('commits', rows, period, (row) => row.git_commits),
        summed('pull requests', rows, period, (row) => row.git_prs_created),
      ),
      bars('files by language', addUp(languages), redact),
    ],
  };
}

function lastOf<Row extends { readonly date: string }>(
  rows: readonly Row[],
  day: string,
): Row | null {
  return rows.find(({ date }) => date === day) ?? null;
}

function ratio(label: string, value: number | null | undefined): Figure {
  return { label, value: typeof value === 'number' ? value.toFixed(1) : '-', change: null };
}

/** Users of credits in the days of a digest: addresses, or ids without an address, in lower case. */
export function peopleWithCredits(
  rows: readonly TokenRow[],
  asOf: string,
  every: DigestOptions['every'],
): readonly string[] {
  const { days } = digestDays(asOf, every);
  return [...creditSeries(rows).users]
    .filter(([, series]) => daysOf(days).some((day) => (series.get(day) ?? 0) > 0))
    .map(([name]) => name)
    .toSorted();
}

/** The digest of one person's own credits; it names no other person and contains only the sum of their credits. */
export function personalDigest(
  rows: readonly TokenRow[],
  asOf: string,
  { person, every, rate }: Pick<DigestOptions, 'every' | 'rate'> & { readonly person: string },
): Digest {
  const period = digestDays(asOf, every);
  const { days } = period;
  const series = creditSeries(rows).users.get(person);
  const ownDays = daysOf(period.course).flatMap((date) => {
    const credits = series?.get(date);
    return credits === undefined ? [] : [{ date, credits }];
  });
  const used = knownSum(ownDays, days, creditsOf);
  const total = knownSum(rows, days, (row) => row.billable_tokens);
  const share = `${Math.round((used / total) * 100)} %`;
  const { startDate, endDate } = days;
  const when = startDate === endDate ? `on ${endDate}` : `from ${startDate} to ${endDate}`;
  return {
    title: `Your agents ${when} (UTC): ${creditAmount(used)}`,
    remarks: [],
    sections: [
      {
        title: 'Your standard credits',
        blocks: [
          figures(
            summed('standard credits', ownDays, period, creditsOf),
            ...(total === 0 ? [] : [plain('of organization usage', share)]),
            ...(rate === null ? [] : [plain('cost', costText(used, rate))]),
          ),
          course('the last four weeks', courseOf(ownDays, period.course, creditsOf)),
        ],
      },
    ],
  };
}

function creditsOf(row: { readonly credits: number }): number {
  return row.credits;
}

function plain(label: string, value: string): Figure {
  return { label, value, change: null };
}
