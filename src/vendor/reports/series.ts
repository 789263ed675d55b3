import type { TokenRow } from '../client/index.ts';

/** Standard credits by day (`YYYY-MM-DD`, UTC). A missing day is unknown, not zero. */
export type Series = ReadonlyMap<string, number>;

export interface CreditSeries {
  readonly organization: Series;
  /** By model id. */
  readonly models: ReadonlyMap<string, Series>;
  /** By e-mail address, or by user id without an address; in lower case. */
  readonly users: ReadonlyMap<string, Series>;
}

/** Splits the rows by model and user. A name missing from a row that lists others used nothing on that day. */
export function creditSeries(rows: readonly TokenRow[]): CreditSeries {
  const total = new Map<string, number>();
  for (const { date, billable_tokens: credits } of rows) {
    if (typeof credits === 'number') total.set(date, credits);
  }
  return {
    organization: total,
    models: byName(rows, ({ by_model: list }) =>
      list?.map(({ model_id: id, billable_tokens: credits }) => ({
        name: id ?? 'unknown',
        credits: credits ?? 0,
      })),
    ),
    users: byName(rows, ({ by_user: list }) =>
      list?.map(({ user_email: email, user_id: id, billable_tokens: credits }) => ({
        name: (email || id || 'unknown').toLowerCase(),
        credits: credits ?? 0,
      })),
    ),
  };
}

function byName(
  rows: readonly TokenRow[],
  sharesOf: (
    row: TokenRow,
  ) => readonly { readonly name: string; readonly credits: number }[] | null | undefined,
): ReadonlyMap<string, Series> {
  const listed = rows.flatMap((row) => {
    const shares = sharesOf(row) ?? null;
    return shares === null ? [] : [{ date: row.date, shares }];
  });
  const names = new Set(listed.flatMap(({ shares }) => shares.map(({ name }) => name)));
  const series = new Map([...names].map((name) => [name, new Map<string, number>()]));
  for (const { date, shares } of listed) {
    for (const days of series.values()) days.set(date, 0);
    for (const { name, credits } of shares) {
      const days = series.get(name);
      days?.set(date, (days.get(date) ?? 0) + credits);
    }
  }
  return series;
}
