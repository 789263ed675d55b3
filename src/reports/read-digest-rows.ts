import type { Analytics, AnalyticsOptions } from '../api/index.ts';
import type { DigestRows } from './digest.ts';
import { digestDays } from './digest-days.ts';

/** Asks the service for all a digest is made of: four questions. Rejects as the client does. */
export async function readDigestRows(
  analytics: Omit<Analytics, 'users'>,
  asOf: string,
  options: AnalyticsOptions = {},
): Promise<DigestRows> {
  const { course } = digestDays(asOf, 'week');
  const asked = { ...options, stepBack: true };
  const [tokens, tools, activity, productivity] = await Promise.all([
    analytics.tokens(course, asked),
    analytics.tools(course, asked),
    analytics.activity(course, asked),
    analytics.productivity(course, asked),
  ]);
  return {
    tokens: tokens.data,
    tools: tools.data,
    activity: activity.data,
    productivity: productivity.data,
  };
}
