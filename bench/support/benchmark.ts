/** Something measured, and what it must not be worse than. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  /** Such as "×" for a ratio, "ms", "/s". */
  readonly unit: string;
  /** Of a quiet machine. */
  readonly bound: number;
  readonly better: 'lower' | 'higher';
  /** How many times slower this machine was during the run than the quiet one (machine.ts); 1 if left out. */
  readonly slowness?: number;
  /** What the number comes from, such as the two medians of a ratio. */
  readonly note: string;
}

/** One file of this folder: what it measures, in one run. */
export interface Benchmark {
  readonly name: string;
  run(): Promise<readonly Figure[]>;
}

/**
 * - `ok`: within the bound.
 * - `slow machine`: beyond it, by no more than the machine was slower than the quiet one.
 * - `MISSED`: beyond it.
 */
export type Verdict = 'ok' | 'slow machine' | 'MISSED';

export function verdictOn({ value, bound, better, slowness = 1 }: Figure): Verdict {
  // Where nothing may happen, there is no ratio.
  if (better === 'lower' && value <= bound) return 'ok';
  const excess = better === 'lower' ? value / bound : bound / value;
  if (excess <= 1) return 'ok';
  // A value that is not a number must not pass.
  return excess <= slowness ? 'slow machine' : 'MISSED';
}
