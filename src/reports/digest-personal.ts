import type { DayRange, TokenRow } from '../api/index.ts';
import { daysOf } from '../api/index.ts';
import { costText, creditAmount } from './amounts.ts';
import type { Digest, Figure } from './digest-blocks.ts';
import { courseOf, knownSum, summed } from './digest-counts.ts';
import { digestDays } from './digest-days.ts';
import type { DigestOptions } from './digest-options.ts';
import { creditSeries } from './series.ts';

/** Who used credits in the days that a digest tells of: addresses, or ids where there is none, in lower case. */
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

/** The digest of one person's own credits; it names nobody, and nothing of the others but their sum is in it. */
export function personalDigest(
  rows: readonly TokenRow[],
  asOf: string,
  { person, every, rate }: Pick<DigestOptions, 'every' | 'rate'> & { readonly person: string },
): Digest {
  const period = digestDays(asOf, every);
  const { days, course } = period;
  const series = creditSeries(rows).users.get(person);
  const own = daysOf(course).flatMap((date) => {
    const credits = series?.get(date);
    return credits === undefined ? [] : [{ date, credits }];
  });
  const used = knownSum(own, days, creditsOf);
  return {
    title: `Your agents ${daysText(days)} (UTC): ${creditAmount(used)}`,
    remarks: [],
    sections: [
      {
        title: 'Your standard credits',
        blocks: [
          {
            type: 'figures',
            figures: [
              summed('standard credits', own, period, creditsOf),
              ...shareOf(
                used,
                knownSum(rows, days, (row) => row.billable_tokens),
              ),
              ...(rate === null ? [] : [plain('in money', costText(used, rate))]),
            ],
          },
          {
            type: 'course',
            title: 'the last four weeks',
            points: courseOf(own, course, creditsOf),
          },
        ],
      },
    ],
  };
}

function creditsOf(row: { readonly credits: number }): number {
  return row.credits;
}

function daysText({ startDate, endDate }: DayRange): string {
  return startDate === endDate ? `on ${endDate}` : `from ${startDate} to ${endDate}`;
}

function shareOf(used: number, total: number): readonly Figure[] {
  if (total === 0) return [];
  return [plain('of what the organization used', `${Math.round((used / total) * 100)} %`)];
}

function plain(label: string, value: string): Figure {
  return { label, value, change: null };
}
