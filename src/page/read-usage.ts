import { HookbellError } from '../platform/errors.ts';
import type { Clock } from '../platform/time.ts';
import type { ApiClient } from '../vendor/api-client.ts';
import { ApiError, yesterday } from '../vendor/client/index.ts';
import { daysForBudgets } from '../vendor/reports/check-budgets.ts';
import type { UsageContent } from './usage-html.ts';

/** The service adds usage once a day, and counts requests: the same answer serves for this long, ms. */
const FRESH_MS = 10 * 60_000;

interface UsageReaderOptions {
  readonly api: Pick<ApiClient, 'get'>;
  readonly now: Clock;
}

/** Reads the usage of the last weeks from the vendor's service; a failure is a sentence for the page. */
export function createUsageReader({ api, now }: UsageReaderOptions) {
  let kept: { readonly at: number; readonly usage: UsageContent['usage'] } | null = null;

  async function read(): Promise<UsageContent['usage']> {
    try {
      const client = await api.get();
      const asOf = yesterday(now());
      const { data } = await client.analytics.tokens(daysForBudgets(asOf), { stepBack: true });
      return { rows: data, asOf };
    } catch (error) {
      const isExpected =
        error instanceof ApiError || error instanceof HookbellError || error instanceof TypeError;
      if (!isExpected) throw error;
      return { problem: `Cannot read the usage: ${error.message}` };
    }
  }

  return async () => {
    if (kept !== null && now() - kept.at < FRESH_MS) return kept.usage;
    const usage = await read();
    // A failure is tried again with the next look.
    kept = 'problem' in usage ? null : { at: now(), usage };
    return usage;
  };
}
