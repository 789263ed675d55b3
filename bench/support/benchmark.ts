/** Something measured, and what it must not be worse than. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  /** Such as "×" for a ratio, "ms", "/s". */
  readonly unit: string;
  readonly bound: number;
  readonly better: 'lower' | 'higher';
  /** What the number comes from, such as the two medians of a ratio. */
  readonly note: string;
}

/** One file of this folder: what it measures, in one run. */
export interface Benchmark {
  readonly name: string;
  run(): Promise<readonly Figure[]>;
}

export function isMissed({ value, bound, better }: Figure): boolean {
  // A value that is not a number must not pass.
  return better === 'lower' ? !(value <= bound) : !(value >= bound);
}
