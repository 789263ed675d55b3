import { StoreError } from '../../core/store-aging.ts';
import type { Method } from '../database.ts';

/** Maximum number of calls in a transaction, and of concurrent transactions of a method. */
const MOST_CALLS = 100;
const MOST_AT_ONCE = 2;

interface Call<Args, Result> {
  readonly args: Args;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A method whose calls are made together: those of one turn of the event loop, and those that came while earlier ones were
 * under way.
 *
 * @param together has a result for each of the calls, or none of them has an effect
 */
export function gathering<Args extends readonly unknown[], Result>(
  together: (calls: readonly Args[]) => Promise<readonly Result[]>,
): Method<Args, Result> {
  const waiting: Call<Args, Result>[] = [];
  let underWay = 0;

  async function take(): Promise<void> {
    while (waiting.length > 0) await make(waiting.splice(0, MOST_CALLS));
  }

  async function make(calls: readonly Call<Args, Result>[]): Promise<void> {
    try {
      const results = await together(calls.map(({ args }) => args));
      for (const [index, result] of results.entries()) calls[index]?.resolve(result);
    } catch (error) {
      if (calls.length === 1 || error instanceof StoreError) {
        for (const { reject } of calls) reject(error);
        return;
      }
      // One of them is at fault, and must not affect the others.
      for (const call of calls) await make([call]);
    }
  }

  function start(): void {
    if (underWay === MOST_AT_ONCE || waiting.length === 0) return;
    underWay += 1;
    void take().finally(() => {
      underWay -= 1;
    });
  }

  return (...args) =>
    new Promise((resolve, reject) => {
      waiting.push({ args, resolve, reject });
      queueMicrotask(start);
    });
}
