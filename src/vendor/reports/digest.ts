import {
  type ActivityRow,
  type DayRange,
  daysOf,
  type ProductivityRow,
  type TokenRow,
  type ToolRow,
} from '../client/index.ts';
import { amountText, creditAmount } from './check-budgets.ts';
import { controlsSection, type DigestOptions, readinessSection } from './digest-audit.ts';
import { type Digest, digestDays, type Section } from './digest-blocks.ts';
import { knownSum, NOT_YET, within } from './digest-counts.ts';
import { creditSection, ownSection, toolSection } from './digest-credits.ts';
import { activitySection, autonomySection, productivitySection } from './digest-people.ts';

/** Rows of `daysForDigest`, in any order. */
export interface DigestRows {
  readonly tokens: readonly TokenRow[];
  readonly tools: readonly ToolRow[];
  readonly activity: readonly ActivityRow[];
  readonly productivity: readonly ProductivityRow[];
}

/** Whether the service has data for the day; it returns zeros before its batch has run. */
export function hasDay({ tokens, activity }: DigestRows, day: string): boolean {
  const days = { startDate: day, endDate: day };
  return (
    knownSum(tokens, days, (row) => row.billable_tokens) > 0 ||
    knownSum(activity, days, (row) => row.sessions) > 0
  );
}

/** Makes the digest of the days up to `asOf`; days without data yet are reported as missing, never as zero. */
export function createDigest(all: DigestRows, asOf: string, options: DigestOptions): Digest {
  // Zeros before the batch has run are not data.
  const rows = hasDay(all, asOf) ? all : withoutDay(all, asOf);
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
  return {
    title: `Agents ${name} (UTC): ${headlineOf(rows, days)}`,
    remarks: [...remarksOf(rows, days), ...audit.remarks],
    sections: sections.filter((section) => section !== null),
  };
}

/** The two main figures; partial sums are marked. */
function headlineOf({ tokens, activity }: DigestRows, days: DayRange): string {
  const credits = within(tokens, days);
  const sessions = within(activity, days);
  if (credits.length + sessions.length === 0) return NOT_YET;
  const parts = [
    credits.length === 0
      ? `standard credits ${NOT_YET}`
      : creditAmount(knownSum(tokens, days, (row) => row.billable_tokens)),
    sessions.length === 0
      ? `sessions ${NOT_YET}`
      : `${amountText(knownSum(activity, days, (row) => row.sessions))} sessions`,
  ];
  const wanted = daysOf(days).length;
  const known = Math.min(...[credits.length, sessions.length].filter((count) => count > 0));
  return `${parts.join(', ')}${known < wanted ? `; data of ${known} of ${wanted} days` : ''}`;
}

/** Omits days with only zeros. */
function withoutDay(rows: DigestRows, day: string): DigestRows {
  const isKept = (row: { readonly date: string }): boolean => row.date !== day || hasAmount(row);
  // The trailing windows of a day cover the days before it.
  const wasActive = (row: ActivityRow): boolean =>
    row.date !== day ||
    hasAmount([
      row.daily_active_users,
      row.daily_active_users_by_client,
      row.sessions,
      row.messages,
    ]);
  return {
    tokens: rows.tokens.filter(isKept),
    tools: rows.tools.filter(isKept),
    activity: rows.activity.filter(wasActive),
    productivity: rows.productivity.filter(isKept),
  };
}

function hasAmount(value: unknown): boolean {
  if (typeof value === 'number') return value > 0;
  return typeof value === 'object' && value !== null && Object.values(value).some(hasAmount);
}

function remarksOf({ tokens, activity }: DigestRows, days: DayRange): readonly string[] {
  // A figure without any data is marked itself.
  const known = [within(tokens, days), within(activity, days)]
    .map((rows) => new Set<string>(rows.map(({ date }) => date)))
    .filter(({ size }) => size > 0);
  const missing = daysOf(days).filter(
    (day) => known.length === 0 || known.some((dates) => !dates.has(day)),
  );
  if (missing.length === 0) return [];
  return [`No data yet, not in the sums: ${missing.join(', ')} (UTC)`];
}
