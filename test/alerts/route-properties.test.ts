import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as fc from 'fast-check';

import { fits, route, unfitConditions } from '../../src/alerts/route.ts';
import { kinds } from '../../src/core/hook-event.ts';
import { severities } from '../../src/core/notification.ts';
import type { Match } from '../../src/core/policy.ts';
import { samplePolicy } from '../support/decisions.ts';
import { sampleEvent } from '../support/sample.ts';

const globs = fc.array(fc.constantFrom('*', 'shop', 's*p', '/home/*', 'Bash', 'B?sh'));
const minuteOfDay = fc.integer({ min: 0, max: 1_439 });

const match: fc.Arbitrary<Match> = fc.record(
  {
    kind: fc.array(fc.constantFrom(...kinds)),
    agent: fc.array(fc.constantFrom('claude', 'droid')),
    severity: fc.array(fc.constantFrom(...severities)),
    permissionMode: fc.array(fc.constantFrom('plan', 'default')),
    project: globs,
    tool: globs,
    title: globs,
    message: globs,
    longerThanMs: fc.integer({ min: 0, max: 100 }),
    subagent: fc.boolean(),
    attended: fc.boolean(),
    hours: fc.record({ from: minuteOfDay, to: minuteOfDay, timezone: fc.constant('UTC') }),
  },
  { requiredKeys: [] },
);

const text = fc.constantFrom(null, 'shop', 'Bash', '/home/dev/shop');
const event = fc
  .record({
    kind: fc.constantFrom(...kinds),
    agent: fc.constantFrom('claude', 'droid'),
    permissionMode: fc.constantFrom('plan', null),
    project: text,
    cwd: text,
    tool: text,
    title: text,
    message: text,
    subagent: fc.boolean(),
    attended: fc.constantFrom(true, false, null),
    failed: fc.boolean(),
  })
  .map(sampleEvent);

const facts = fc.record({
  turn: fc.option(fc.record({ ms: fc.option(fc.integer({ min: 0, max: 100 })) })),
  session: fc.constant(null),
  now: fc.integer({ min: 0, max: 86_400_000 }),
});

test('fits() exactly where unfitConditions() finds nothing, and each it finds stands in the match', () => {
  fc.assert(
    fc.property(match, event, facts, (wanted, given, around) => {
      const unfit = unfitConditions(wanted, given, around);

      assert.equal(fits(wanted, given, around), unfit.length === 0);
      assert.ok(unfit.length <= Object.keys(wanted).length);
      assert.ok(unfit.every(({ actual }) => actual.length > 0));
    }),
    { numRuns: 500 },
  );
});

test('fits() where the conditions that do not hold are taken away', () => {
  const keys: Readonly<Record<string, keyof Match>> = {
    permission_mode: 'permissionMode',
    longer_than: 'longerThanMs',
  };
  fc.assert(
    fc.property(match, event, facts, (wanted, given, around) => {
      const unfit = unfitConditions(wanted, given, around).map(
        ({ condition }): string => keys[condition] ?? condition,
      );
      const rest = Object.entries(wanted).filter(([key]) => !unfit.includes(key));

      assert.ok(fits(Object.fromEntries(rest), given, around));
    }),
    { numRuns: 500 },
  );
});

test('route() chooses the first route that fits, and goes on while it says "also"', () => {
  const candidate = fc.record({
    match,
    also: fc.boolean(),
    plan: fc.constantFrom(...Object.keys(samplePolicy.plans)),
  });
  fc.assert(
    fc.property(fc.array(candidate, { maxLength: 5 }), event, facts, (some, given, around) => {
      const routes = some.map((one, index) => ({ ...one, name: `routes[${index}]` }));
      const fitting = routes.filter((one) => fits(one.match, given, around));
      const last = fitting.findIndex(({ also }) => !also);
      const expected = last < 0 ? fitting : fitting.slice(0, last + 1);

      const { plans, decision } = route(given, around, { ...samplePolicy, routes });

      assert.deepEqual(
        plans.map(({ name }) => name),
        expected.map(({ plan }) => plan),
      );
      assert.equal(decision.verdict, expected.length === 0 ? 'stop' : 'pass');
    }),
    { numRuns: 300 },
  );
});
