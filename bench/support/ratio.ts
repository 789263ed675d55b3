import type { Figure } from './benchmark.ts';
import { interleave } from './interleave.ts';
import { median } from './statistics.ts';

export interface RatioOptions {
  readonly name: string;
  /** What the ratio must not exceed. */
  readonly bound: number;
  /** What ours is compared with, in words. */
  readonly than: string;
  readonly rounds: number;
  /** Each runs once and says how many milliseconds it took. */
  readonly ours: () => number | Promise<number>;
  readonly theirs: () => number | Promise<number>;
}

/** How many times longer ours takes: a figure that means the same on a slow machine and a fast one. */
export async function ratio(options: RatioOptions): Promise<Figure> {
  const { name, bound, than, rounds, ours, theirs } = options;
  const [a = [], b = []] = await interleave([ours, theirs], { rounds });
  return {
    name,
    value: median(a) / median(b),
    unit: '×',
    bound,
    better: 'lower',
    note: `${median(a).toFixed(2)} ms; ${than}: ${median(b).toFixed(2)} ms`,
  };
}
