import {
  type AnalyticsOptions,
  ApiError,
  type Client,
  type ControlChange,
  type DayRange,
  type Methods,
  type PagedOptions,
} from '../client/index.ts';
import { displayLine } from '../../text/sanitize.ts';
import type { DigestAudit } from './digest-audit.ts';
import { digestDays } from './digest-blocks.ts';
import type { DigestRows } from './digest.ts';

/** Which of them are watched. */
export interface DigestAuditWanted {
  readonly readiness: boolean;
  readonly controls: boolean;
}

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
