import type { ActivityRow, DayRange, ToolRow, UserRow } from '../client/index.ts';
import { daysOf } from '../client/index.ts';
import { displayLine } from '../../text/sanitize.ts';

/** How far hookbell's hook reaches in an organization. */
export interface Coverage {
  readonly from: string;
  readonly to: string;
  /** Days without data (yet): excluded from all sums. */
  readonly missingDays: readonly string[];
  readonly sessions: number;
  /** How often our hook ran. */
  readonly runs: number;
  /** Null without sessions. */
  readonly runsPerSession: number | null;
  /** How often any hook ran. */
  readonly allRuns: number;
  /** Runs of our hook by event, the most frequent first. */
  readonly events: readonly EventRuns[];
  readonly activeUsers: number;
  /** Users who were active without any hook, most active first: the service does not report by user which hook ran. */
  readonly usersWithoutHook: readonly UncoveredUser[];
}

export interface EventRuns {
  readonly event: string;
  readonly runs: number;
}

export interface UncoveredUser {
  readonly userId: string;
  readonly email: string | null;
  readonly sessions: number;
}

export interface CoverageRows {
  readonly tools: readonly ToolRow[];
  readonly activity: readonly ActivityRow[];
  readonly users: readonly UserRow[];
}

/** Compares runs of the hook with sessions. @param isOurs whether a command runs our hook */
export function coverageOf(
  { tools, activity, users }: CoverageRows,
  days: DayRange,
  isOurs: (command: string) => boolean,
): Coverage {
  const events = new Map<string, number>();
  for (const { event, command, count } of tools.flatMap((row) => row.hooks_by_event ?? [])) {
    const name = displayLine(event ?? '') || 'unknown';
    if (isOurs(command ?? '')) events.set(name, (events.get(name) ?? 0) + (count ?? 0));
  }
  const runs = sum([...events.values()]);
  const sessions = sum(activity.map((row) => row.sessions));
  const dates = new Set<string>(tools.map(({ date }) => date));
  const active = activeUsers(users);
  return {
    from: days.startDate,
    to: days.endDate,
    missingDays: daysOf(days).filter((day) => !dates.has(day)),
    sessions,
    runs,
    runsPerSession: sessions === 0 ? null : runs / sessions,
    allRuns: sum(tools.map((row) => row.hooks_invocations)),
    events: [...events]
      .map(([event, count]) => ({ event, runs: count }))
      .toSorted((one, other) => other.runs - one.runs || one.event.localeCompare(other.event)),
    activeUsers: active.length,
    usersWithoutHook: active
      .filter(({ hooks }) => hooks === 0)
      .map(({ userId, email, sessions: count }) => ({ userId, email, sessions: count }))
      .toSorted((one, other) => other.sessions - one.sessions),
  };
}

/** Users with sessions or messages: one entry per person, over all days. */
function activeUsers(rows: readonly UserRow[]) {
  const users = new Map<string, UncoveredUser & { readonly hooks: number }>();
  for (const { user_id: userId, user_email: email, sessions, user_messages, hooks } of rows) {
    if ((sessions ?? 0) + (user_messages ?? 0) === 0) continue;
    const held = users.get(userId) ?? { userId, email: null, sessions: 0, hooks: 0 };
    users.set(userId, {
      userId,
      email: held.email ?? (displayLine(email ?? '') || null),
      sessions: held.sessions + (sessions ?? 0),
      hooks: held.hooks + (hooks ?? 0),
    });
  }
  return [...users.values()];
}

function sum(counts: readonly (number | null | undefined)[]): number {
  return counts.reduce<number>((total, count) => total + (count ?? 0), 0);
}
