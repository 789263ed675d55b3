import { join } from 'node:path';

import { isOwnCommand } from '../../setup/hook-places.ts';
import { ApiError, type Client, lastDays } from '../../vendor/client/index.ts';
import { amountText } from '../../vendor/reports/check-budgets.ts';
import {
  type Coverage,
  coverageOf,
  type UncoveredUser,
} from '../../vendor/reports/coverage-report.ts';
import { type Check, defineGuide } from './check.ts';
import type { DoctorPorts } from './ports.ts';

export const commandGuide = defineGuide('command', {
  elsewhere: { state: 'warning', remedy: 'Add its directory to PATH' },
  missing: { state: 'warning', remedy: 'Run "hookbell install"' },
});

/** Checks that the user can run "hookbell". */
export async function checkCommand(ports: DoctorPorts): Promise<Check> {
  const { paths, searchPath, isExecutable, platform } = ports;
  for (const directory of searchPath) {
    const path = join(directory, platform === 'win32' ? 'hookbell.cmd' : 'hookbell');
    if (await isExecutable(path)) return commandGuide.ok(path);
  }
  if (await isExecutable(paths.command)) {
    return commandGuide.found('elsewhere', `${paths.command} is not on PATH`);
  }
  return commandGuide.found('missing', '"hookbell" is not on PATH');
}

const daysGuide = defineGuide('days', { missing: { state: 'warning', remedy: null } });

const hookGuide = defineGuide('hook', {
  idle: { state: 'warning', remedy: null },
  never: {
    state: 'problem',
    remedy:
      'Run "hookbell install" on the machines where agents run, then "hookbell doctor --canary"',
  },
});

const usersGuide = defineGuide('users', {
  noUsers: { state: 'warning', remedy: null },
  without: { state: 'warning', remedy: 'Ask them to run "hookbell install"; --json has them all' },
});

export const coverageGuides = [daysGuide, hookGuide, usersGuide] as const;

const DAYS = 7;
const MOST_USER_DAYS = 100_000;
const PAGE = 100;
const MOST_NAMES = 10;

/** Asks the service how many sessions and users ran the hook in the last days with data. Rejects as the client does. */
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

/** Analytics may not know an address that the directory has; without the directory, the id is used. */
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

/** Returns the checks of `doctor --coverage`. */
export function checkCoverage(coverage: Coverage): readonly Check[] {
  const { from, to, missingDays } = coverage;
  const range = `${from} to ${to} (UTC)`;
  const days =
    missingDays.length === 0
      ? daysGuide.ok(range)
      : daysGuide.found('missing', `${range}, not known: ${missingDays.join(', ')}`);
  return [days, runsCheck(coverage), usersCheck(coverage)];
}

function runsCheck({ sessions, runs, runsPerSession, events }: Coverage): Check {
  const count = `${amountText(sessions)} sessions`;
  if (sessions === 0) return hookGuide.found('idle', 'the service reports no sessions');
  if (runs === 0 || runsPerSession === null) {
    return hookGuide.found('never', `it ran in none of ${count}`);
  }
  const named = events.map(({ event, runs: times }) => `${event} ${amountText(times)}`).join(', ');
  const often = `${runsPerSession.toFixed(1)} times a session`;
  return hookGuide.ok(`it ran ${amountText(runs)} times in ${count}, ${often}: ${named}`);
}

function usersCheck({ activeUsers, usersWithoutHook: without }: Coverage): Check {
  if (activeUsers === 0) return usersGuide.found('noUsers', 'no user was active');
  if (without.length === 0) return usersGuide.ok(`all ${activeUsers} who were active ran a hook`);
  const names = without.slice(0, MOST_NAMES).map(({ email, userId }) => email ?? userId);
  const rest = without.length > names.length ? ` and ${without.length - names.length} more` : '';
  const count = `${without.length} of ${activeUsers} who were active ran no hook`;
  return usersGuide.found('without', `${count}: ${names.join(', ')}${rest}`);
}
