import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';

import { remoteCommandLine } from '../../support/remote-command-line.ts';

const answer = z.object({
  ok: z.boolean(),
  coverage: z.object({
    sessions: z.number(),
    runs: z.number(),
    runsPerSession: z.number(),
    allRuns: z.number(),
    events: z.array(z.object({ event: z.string(), runs: z.number() })),
    activeUsers: z.number(),
    usersWithoutHook: z.array(z.object({ email: z.string().nullable() })),
  }),
  checks: z.array(z.object({ name: z.string(), state: z.string() })),
});

test('hookbell doctor --coverage sets the runs of the hook against sessions, as text and as JSON (acceptance 030)', async () => {
  await using remote = await remoteCommandLine();

  const people = await remote.run(['doctor', '--coverage']);
  const { ok, coverage } = answer.parse(await remote.json(['doctor', '--coverage']));

  assert.equal(people.code, 0, people.stderr);
  assert.match(
    people.stdout,
    /^ok +hook +it ran [\d,]+ times in [\d,]+ sessions, \d+\.\d times a session: /m,
  );
  assert.equal(ok, true);
  assert.deepEqual(coverage.events.map(({ event }) => event).toSorted(), ['Notification', 'Stop']);
  assert.ok(coverage.runs > 0 && coverage.runs < coverage.allRuns);
  assert.ok(coverage.activeUsers > 0 && coverage.sessions >= coverage.activeUsers);
});

test('hookbell doctor --coverage names active users without a hook, by the directory where analytics know no address', async () => {
  await using remote = await remoteCommandLine({
    faults: [
      {
        match: { path: '/api/v1/analytics/users' },
        effect: { kind: 'field', fault: 'null', at: 'data.*.hooks' },
      },
    ],
  });

  const { ok, coverage, checks } = answer.parse(await remote.json(['doctor', '--coverage']));

  assert.equal(ok, true);
  assert.equal(coverage.usersWithoutHook.length, coverage.activeUsers);
  assert.ok(
    coverage.usersWithoutHook.every(({ email }) => email?.endsWith('@example.com') === true),
  );
  assert.deepEqual(checks.find(({ name }) => name === 'users')?.state, 'warning');
});

test('hookbell doctor --coverage ends with 1 where the hook never ran, and with 5 for who may not ask', async () => {
  await using remote = await remoteCommandLine({
    faults: [
      {
        match: { path: '/api/v1/analytics/tools' },
        effect: { kind: 'field', fault: 'null', at: 'data.*.hooks_by_event' },
      },
    ],
  });

  const never = await remote.run(['doctor', '--coverage']);
  const refused = await remote.run(['doctor', '--coverage'], { key: 'member' });
  const both = await remote.run(['doctor', '--coverage', '--canary']);

  assert.deepEqual([never.code, refused.code, both.code], [1, 5, 2]);
  assert.match(
    never.stdout,
    /^problem +hook +it ran in none of [\d,]+ sessions\n +Run "hookbell install"/m,
  );
});
