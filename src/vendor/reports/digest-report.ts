import { displayLine } from '../../text/sanitize.ts';
import {
  type ActivityRow,
  type AnalyticsOptions,
  ApiError,
  type Client,
  type ControlChange,
  type DayRange,
  daysOf,
  type Methods,
  type PagedOptions,
  type ProductivityRow,
  type TokenRow,
  type ToolRow,
} from '../client/index.ts';
import { amountText, creditAmount } from './check-budgets.ts';
import {
  controlsSection,
  type DigestAudit,
  type DigestOptions,
  readinessSection,
} from './digest-audit.ts';
import {
  type Digest,
  digestDays,
  knownSum,
  NOT_YET,
  type Section,
  rowsWithin,
} from './digest-blocks.ts';
import { creditSection, ownSection, toolSection } from './digest-credits.ts';
import { waitingSection } from './digest-waiting.ts';
import { activitySection, autonomySection, productivitySection } from './digest-people.ts';

/** Which of them are watched. */
export type DigestAuditWanted = Readonly<Record<'readiness' | 'controls', boolean>>;

const PAGE = 100;
const MOST_REPORTS = 5_000;

/**
 * Fetches the readiness reports and the control changes of these days. If the service refuses one, the digest omits it with a
 * note; other errors are thrown.
 */
export async function readDigestAudit(
  { readiness, organization }: Pick<Client, 'readiness' | 'organization'>,
  wanted: DigestAuditWanted,
  days: DayRange,
  options: PagedOptions = {},
): Promise<DigestAudit> {
  const remarks: string[] = [];
  const attempt = async <Found>(what: string, ask: () => Promise<Found>): Promise<Found | null> => {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof ApiError) || options.signal?.aborted === true) throw error;
      remarks.push(`Without ${what}: ${displayLine(error.message)}`);
      return null;
    }
  };
  const [reports, changes] = await Promise.all([
    wanted.readiness
      ? attempt('readiness', () =>
          readiness.list({ limit: PAGE }, options).all({ max: MOST_REPORTS }),
        )
      : null,
    wanted.controls
      ? attempt('the enterprise controls', () =>
          changesIn(organization.history({ limit: PAGE }, options), days),
        )
      : null,
  ]);
  return { reports, changes, remarks };
}

/** Down to the last one before these days, with which the first of them is compared. */
async function changesIn(
  history: AsyncIterable<ControlChange>,
  { startDate }: DayRange,
): Promise<readonly ControlChange[]> {
  const found: ControlChange[] = [];
  for await (const change of history) {
    found.push(change);
    if (Date.parse(change.updatedAt ?? '') < Date.parse(startDate)) break;
  }
  return found;
}

/** Fetches all data of a digest with four requests. Rejects as the client does. */
export async function readDigestRows(
  analytics: Omit<Methods<'analytics'>, 'users'>,
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

/** Rows of the days that `readDigestRows` reads, in any order. */
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
    waitingSection(options.waiting, period, redact),
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
  const credits = rowsWithin(tokens, days);
  const sessions = rowsWithin(activity, days);
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
  const measured = Math.min(...[credits.length, sessions.length].filter((count) => count > 0));
  return `${parts.join(', ')}${measured < wanted ? `; data of ${measured} of ${wanted} days` : ''}`;
}

function withoutDay(rows: DigestRows, day: string): DigestRows {
  const isKept = (row: { readonly date: string }): boolean => row.date !== day || hasAmount(row);
  // The trailing windows of a day cover the days before it.
  const wasActive = (row: ActivityRow): boolean => {
    const { daily_active_users: users, daily_active_users_by_client: byClient } = row;
    return row.date !== day || hasAmount([users, byClient, row.sessions, row.messages]);
  };
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
  const measured = [rowsWithin(tokens, days), rowsWithin(activity, days)]
    .map((rows) => new Set<string>(rows.map(({ date }) => date)))
    .filter(({ size }) => size > 0);
  const missing = daysOf(days).filter(
    (day) => measured.length === 0 || measured.some((dates) => !dates.has(day)),
  );
  if (missing.length === 0) return [];
  return [`No data yet, not in the sums: ${missing.join(', ')} (UTC)`];
}
