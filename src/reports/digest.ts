import type { ActivityRow, DayRange, ProductivityRow, TokenRow, ToolRow } from '../api/index.ts';
import { daysOf } from '../api/index.ts';
import { amountText, creditAmount } from './amounts.ts';
import { controlsSection, readinessSection } from './digest-audit.ts';
import { creditSection } from './digest-credits.ts';
import type { Digest, Section } from './digest-blocks.ts';
import { knownSum, within } from './digest-counts.ts';
import { digestDays } from './digest-days.ts';
import type { DigestOptions } from './digest-options.ts';
import { activitySection, autonomySection, productivitySection } from './digest-people.ts';
import { ownSection } from './digest-own.ts';
import { toolSection } from './digest-tools.ts';

/** What the service says of `daysForDigest`; in any order. */
export interface DigestRows {
  readonly tokens: readonly TokenRow[];
  readonly tools: readonly ToolRow[];
  readonly activity: readonly ActivityRow[];
  readonly productivity: readonly ProductivityRow[];
}

/** Whether the service has the day; zeros are what it shows before its batch has run. */
export function hasDay({ tokens, activity }: DigestRows, day: string): boolean {
  const days = { startDate: day, endDate: day };
  return (
    knownSum(tokens, days, (row) => row.billable_tokens) > 0 ||
    knownSum(activity, days, (row) => row.sessions) > 0
  );
}

/** Makes the digest of the days up to `asOf`. */
export function createDigest(rows: DigestRows, asOf: string, options: DigestOptions): Digest {
  const period = digestDays(asOf, options.every);
  const { days } = period;
  const { audit } = options;
  const redact = options.redactor.text;
  const name = options.every === 'day' ? `on ${asOf}` : `from ${days.startDate} to ${asOf}`;
  const sections: readonly (Section | null)[] = [
    creditSection(rows.tokens, period, options),
    activitySection(rows.activity, period, redact),
    autonomySection(rows.tools, period, redact),
    productivitySection(rows.productivity, period, redact),
    toolSection(rows.tools, period, redact),
    readinessSection(audit.reports, days, redact),
    controlsSection(audit.changes, days, options),
    ownSection(options.own, redact),
  ];
  const credits = knownSum(rows.tokens, days, (row) => row.billable_tokens);
  const sessions = knownSum(rows.activity, days, (row) => row.sessions);
  return {
    title: `Agents ${name} (UTC): ${creditAmount(credits)}, ${amountText(sessions)} sessions`,
    remarks: [...remarksOf(rows, days), ...audit.remarks],
    sections: sections.filter((section) => section !== null),
  };
}

function remarksOf(rows: DigestRows, days: DayRange): readonly string[] {
  const known = new Set<string>(within(rows.tokens, days).map(({ date }) => date));
  const missing = daysOf(days).filter((day) => !known.has(day));
  const { endDate } = days;
  if (missing.length === 0 && hasDay(rows, endDate)) return [];
  const late = missing.length === 0 ? [endDate] : missing;
  return [`Data not ready, and not in the sums: ${late.join(', ')} (UTC)`];
}
