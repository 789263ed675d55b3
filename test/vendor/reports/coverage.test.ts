import assert from 'node:assert/strict';
import { test } from 'node:test';

import { routes } from '../../../src/vendor/client/index.ts';
import { type Coverage, coverageOf } from '../../../src/vendor/reports/coverage-report.ts';
import { isOwnCommand } from '../../../src/setup/hook-places.ts';

const DAYS = { startDate: '2026-04-13', endDate: '2026-04-15' };
const OURS = '/home/a/.local/share/hookbell/hooks/hookbell-hook --agent droid';

interface RawRows {
  readonly tools?: readonly object[];
  readonly activity?: readonly object[];
  readonly users?: readonly object[];
}

/** Of rows as the service sends them. */
function coverage({ tools = [], activity = [], users = [] }: RawRows): Coverage {
  const meta = {};
  const rows = {
    tools: routes['analytics.tools'].response.parse({ data: tools, meta }).data,
    activity: routes['analytics.activity'].response.parse({ data: activity, meta }).data,
    users: routes['analytics.users'].response.parse({ data: users, meta }).data,
  };
  return coverageOf(rows, DAYS, isOwnCommand);
}

const ran = (event: string, command: string | null, count: number): object => ({
  event,
  command,
  count,
});
const day = (user_id: string, date: string, fields: object): object => ({
  user_id,
  date,
  ...fields,
});

test('coverageOf() counts the runs of our own hook alone, by event, against sessions (acceptance 030)', () => {
  const hooks = [
    ran('Stop', OURS, 6),
    ran('Notification', `'/opt/my tools/hookbell-hook'`, 2),
    ran('Stop', 'npx prettier --write hookbell-hook.md', 90),
    ran('Stop', null, 5),
  ];

  const { runs, events, sessions, runsPerSession, allRuns, missingDays } = coverage({
    tools: [
      { date: '2026-04-13', hooks_invocations: 103, hooks_by_event: hooks },
      { date: '2026-04-14', hooks_invocations: 1, hooks_by_event: [ran('Stop', OURS, 1)] },
    ],
    activity: [
      { date: '2026-04-13', sessions: 3 },
      { date: '2026-04-14', sessions: null },
    ],
  });

  assert.deepEqual([runs, sessions, runsPerSession, allRuns], [9, 3, 3, 104]);
  assert.deepEqual(events, [
    { event: 'Stop', runs: 7 },
    { event: 'Notification', runs: 2 },
  ]);
  assert.deepEqual(missingDays, ['2026-04-15']);
});

test('coverageOf() finds who was active without any hook, each person once over all days (acceptance 087)', () => {
  const { activeUsers, usersWithoutHook } = coverage({
    users: [
      day('one', '2026-04-13', { user_email: null, sessions: 1, hooks: 0 }),
      day('one', '2026-04-14', { user_email: 'one@x.test', sessions: 2, hooks: 0 }),
      day('two', '2026-04-13', { sessions: 2, hooks: 0 }),
      day('two', '2026-04-14', { sessions: 2, hooks: 4 }),
      day('idle', '2026-04-13', { sessions: 0, hooks: 0 }),
      day('nameless', '2026-04-13', { user_messages: 4, hooks: null }),
    ],
  });

  assert.equal(activeUsers, 3);
  assert.deepEqual(usersWithoutHook, [
    { userId: 'one', email: 'one@x.test', sessions: 3 },
    { userId: 'nameless', email: null, sessions: 0 },
  ]);
});

test('coverageOf() divides by no session', () => {
  assert.equal(coverage({}).runsPerSession, null);
});

test('coverageOf() counts events without a name as unknown, and orders equal ones by name', () => {
  const hooks = [
    { event: '\u001b[0m', command: OURS, count: 2 },
    { event: null, command: OURS },
    ran('Stop', OURS, 2),
    ran('Notification', OURS, 2),
  ];

  const { events, missingDays } = coverage({
    tools: [
      { date: '2026-04-13', hooks_by_event: hooks },
      { date: '2026-04-14', hooks_by_event: null },
    ],
  });

  assert.deepEqual(
    events.map(({ event, runs }) => `${event} ${runs}`),
    ['Notification 2', 'Stop 2', 'unknown 2'],
  );
  assert.deepEqual(missingDays, ['2026-04-15']);
});
