/** A quotient with two decimals; 0 when there is nothing to divide by. */
export function ratio(dividend: number, divisor: number): number {
  return divisor === 0 ? 0 : Math.round((dividend / divisor) * 100) / 100;
}

/** The value below or at which the share of the values lies (nearest rank); 0 without values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}
