import type { NamedCount, TokenRow } from '../api/index.ts';
import { addDays, daysOf } from '../api/index.ts';
import { amountText, costText } from './amounts.ts';
import type { Block, Section } from './digest-blocks.ts';
import { barsOf, changeText, courseOf, knownSum, summed, within } from './digest-counts.ts';
import type { DigestDays } from './digest-days.ts';
import type { DigestOptions } from './digest-options.ts';
import type { Series } from './series.ts';
import { creditSeries } from './series.ts';

/** Credits: how many, day by day, by model, and by user where that was asked for. */
export function creditSection(
  rows: readonly TokenRow[],
  period: DigestDays,
  { users: isNamed, rate, redactor }: Pick<DigestOptions, 'users' | 'rate' | 'redactor'>,
): Section | null {
  const { days, course } = period;
  const total = knownSum(rows, days, creditsOf);
  if (rows.length === 0) return null;
  const isKnown = within(rows, days).length > 0;
  const cost = {
    label: 'in money',
    value: rate === null ? '' : costText(total, rate),
    change: null,
  };
  const { models, users } = creditSeries(rows);
  const used = daysOf(days);

  function bars(title: string, series: ReadonlyMap<string, Series>): Block {
    const entries = [...series].map(([name, credits]): NamedCount => ({
      name,
      count: sum(credits, used) ?? 0,
    }));
    return {
      type: 'bars',
      title,
      bars: barsOf(entries, redactor.text, {
        changeOf: ({ name, count }) =>
          changeText(
            count,
            sum(
              series.get(name),
              used.map((day) => addDays(day, -7)),
            ),
          ),
        textOf: (amount) =>
          total === 0 ? '0' : `${amountText(amount)} (${Math.round((amount / total) * 100)} %)`,
      }),
    };
  }

  return {
    title: 'Standard credits',
    blocks: [
      {
        type: 'figures',
        figures: [
          summed('standard credits', rows, period, creditsOf),
          ...(rate === null || !isKnown ? [] : [cost]),
        ],
      },
      { type: 'course', title: 'the last four weeks', points: courseOf(rows, course, creditsOf) },
      bars('by model', models),
      ...(isNamed ? [bars('by user', users)] : []),
    ],
  };
}

function creditsOf(row: TokenRow): number | null | undefined {
  return row.billable_tokens;
}

/** Null where a day is missing. */
function sum(series: Series | undefined, days: readonly string[]): number | null {
  const known = days.flatMap((day) => series?.get(day) ?? []);
  return known.length < days.length ? null : known.reduce((total, one) => total + one, 0);
}
