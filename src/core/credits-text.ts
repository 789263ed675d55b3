import { durationText } from './duration-text.ts';
import type { Credits } from './looked-up.ts';

/** Credits of a session as a notification tells them. */
export interface ToldCredits extends Credits {
  /** What came on top since an earlier turn of the session ended; null where that is not known. */
  readonly growth: { readonly amount: number; readonly sinceMs: number } | null;
}

const sources: Readonly<Record<Credits['source'], string>> = {
  inclusiveTokenUsage: 'inclusive token usage',
  tokenUsage: 'token usage',
};

/** The growth first, then the whole, and which of the service's two sums it is. */
export function creditsText({ amount, source, growth }: ToldCredits): string {
  const whole = `${numberText(amount)} ${growth === null ? unit(amount) : 'in all'} (${sources[source]})`;
  if (growth === null) return whole;
  const since = `since its stop ${durationText(growth.sinceMs)} before`;
  return `+${numberText(growth.amount)} ${unit(growth.amount)} ${since}, ${whole}`;
}

function unit(amount: number): string {
  return amount === 1 ? 'credit' : 'credits';
}

function numberText(amount: number): string {
  return amount.toLocaleString('en-US', { maximumFractionDigits: 2 });
}
