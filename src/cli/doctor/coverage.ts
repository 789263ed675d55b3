import type { Client } from '../../api/index.ts';
import { ApiError, lastDays } from '../../api/index.ts';
import { amountText } from '../../reports/amounts.ts';
import type { Coverage, UncoveredUser } from '../../reports/coverage.ts';
import { coverageOf } from '../../reports/coverage.ts';
import { isOwnCommand } from '../../setup/own-hook.ts';
import type { Check } from './check.ts';
import { ok, problem, warning } from './check.ts';

const DAYS = 7;
const MOST_USER_DAYS = 100_000;
const PAGE = 100;
const MOST_NAMES = 10;

/** Asks the service how far our hook reached in the last days with data. Rejects as the client does. */
export async function readCoverage(
  { analytics, organization }: Pick<Client, 'analytics' | 'organization'>,
  now: number,
): Promise<Coverage> {
  const days = lastDays(DAYS, now);
  const options = { stepBack: true };
  const [tools, activity, users] = await Promise.all([
    analytics.tools(days, options),
    analytics.activity(days, options),
    analytics.users({ ...days, limit: PAGE }, options).all({ max: MOST_USER_DAYS }),
  ]);
  const rows = { tools: tools.data, activity: activity.data, users };
  const coverage = coverageOf(rows, days, isOwnCommand);
  const named: UncoveredUser[] = [];
  for (const user of coverage.usersWithoutHook) named.push(await withAddress(user, organization));
  return { ...coverage, usersWithoutHook: named };
}

/** Analytics may not know an address that the directory has; without the directory the id has to do. */
async function withAddress(
  user: UncoveredUser,
  { directory }: Client['organization'],
): Promise<UncoveredUser> {
  if (user.email !== null) return user;
  try {
    return { ...user, email: (await directory.byId(user.userId))?.email ?? null };
  } catch (error) {
    if (error instanceof ApiError) return user;
    throw error;
  }
}

/** What `doctor --coverage` makes of it. */
export function checkCoverage(coverage: Coverage): readonly Check[] {
  return [dataCheck(coverage), runsCheck(coverage), usersCheck(coverage)];
}

function dataCheck({ from, to, missingDays }: Coverage): Check {
  const range = `${from} to ${to} (UTC)`;
  if (missingDays.length === 0) return ok('days', range);
  return warning('days', `${range}, not known: ${missingDays.join(', ')}`, null);
}

function runsCheck({ sessions, runs, runsPerSession, events }: Coverage): Check {
  const count = `${amountText(sessions)} sessions`;
  if (sessions === 0) return warning('hook', 'the service knows of no session', null);
  if (runs === 0 || runsPerSession === null) {
    return problem(
      'hook',
      `it ran in none of ${count}`,
      'Run "hookbell install" where people work with their agents, then "hookbell doctor --canary"',
    );
  }
  const named = events.map(({ event, runs: times }) => `${event} ${amountText(times)}`).join(', ');
  const often = `${runsPerSession.toFixed(1)} times a session`;
  return ok('hook', `it ran ${amountText(runs)} times in ${count}, ${often}: ${named}`);
}

function usersCheck({ activeUsers, usersWithoutHook: without }: Coverage): Check {
  if (activeUsers === 0) return warning('users', 'nobody was active', null);
  if (without.length === 0) return ok('users', `all ${activeUsers} who were active ran a hook`);
  const names = without.slice(0, MOST_NAMES).map(({ email, userId }) => email ?? userId);
  const rest = without.length - names.length;
  return warning(
    'users',
    `${without.length} of ${activeUsers} who were active ran no hook: ${names.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`,
    'Ask them to run "hookbell install"; --json has them all',
  );
}
