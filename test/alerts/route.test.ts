import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { RouteFacts } from '../../src/alerts/route.ts';
import { fits, route, unfitConditions } from '../../src/alerts/route.ts';
import type { Match } from '../../src/core/policy.ts';
import { samplePolicy } from '../support/decisions.ts';
import { sampleEvent } from '../support/sample.ts';

const noFacts: RouteFacts = { turn: null, session: null, now: 0 };

const event = sampleEvent({
  kind: 'needs.permission',
  cwd: '/home/dev/work/shop',
  project: 'shop',
  tool: 'mcp__github__create_issue',
  permissionMode: 'plan',
  attended: true,
});

describe('fits()', () => {
  const cases: readonly (readonly [string, Match, boolean])[] = [
    ['an empty match fits everything', {}, true],
    ['a kind of the list', { kind: ['turn.done', 'needs.permission'] }, true],
    ['no kind of the list', { kind: ['turn.done'] }, false],
    ['the agent', { agent: ['claude'] }, true],
    ['another agent', { agent: ['droid'] }, false],
    ['the severity of the kind', { severity: ['warning'] }, true],
    ['another severity', { severity: ['critical'] }, false],
    ['a glob on the project name', { project: ['sh*p'] }, true],
    ['a glob on another name', { project: ['other'] }, false],
    ['a glob with a slash on the whole directory', { project: ['/home/dev/work/*'] }, true],
    ['a directory elsewhere', { project: ['/home/dev/play/*'] }, false],
    ['a glob on the tool', { tool: ['mcp__*'] }, true],
    ['another tool', { tool: ['Bash'] }, false],
    ['the permission mode', { permissionMode: ['plan'] }, true],
    ['attended', { attended: true }, true],
    ['unattended', { attended: false }, false],
    ['inside a subagent', { subagent: true }, false],
    ['a length, for an event that ends no turn', { longerThanMs: 1 }, false],
    ['all conditions, one of them wrong', { kind: ['needs.permission'], agent: ['droid'] }, false],
  ];
  for (const [name, match, expected] of cases) {
    test(`fits(): ${name} -> ${expected}`, () => {
      assert.equal(fits(match, event, noFacts), expected);
    });
  }

  test('fits(): globs on the reason why a session ended (acceptance 007, 015, C13)', () => {
    const ended = sampleEvent({ reason: 'error' });

    assert.equal(fits({ reason: ['err*'] }, ended, noFacts), true);
    assert.equal(fits({ reason: ['other'] }, ended, noFacts), false);
    assert.equal(fits({ reason: ['*'] }, sampleEvent({ reason: null }), noFacts), false);
  });

  test('fits(): unknown attendance fits neither true nor false', () => {
    const unknown = sampleEvent({ attended: null });

    assert.equal(fits({ attended: true }, unknown, noFacts), false);
    assert.equal(fits({ attended: false }, unknown, noFacts), false);
  });

  test('fits(): longer_than is a strict bound, and an unknown length is long', () => {
    assert.equal(fits({ longerThanMs: 100 }, event, { ...noFacts, turn: { ms: 100 } }), false);
    assert.equal(fits({ longerThanMs: 100 }, event, { ...noFacts, turn: { ms: 101 } }), true);
    assert.equal(fits({ longerThanMs: 100 }, event, { ...noFacts, turn: { ms: null } }), true);
  });
});

test('unfitConditions() says what was wanted of the length of a turn, and what it was', () => {
  const match = { longerThanMs: 90_000, attended: false };
  const rows: readonly (readonly [RouteFacts['turn'], readonly string[]])[] = [
    [null, ['false, true', 'more than 1 min 30 s, ends no turn']],
    [{ ms: 20_000 }, ['false, true', 'more than 1 min 30 s, 20 s']],
    [{ ms: null }, ['false, true']],
  ];
  for (const [turn, expected] of rows) {
    const unfit = unfitConditions(match, event, { ...noFacts, turn });
    assert.deepEqual(
      unfit.map(({ wanted, actual }) => `${wanted}, ${actual}`),
      expected,
    );
  }
});

describe('route()', () => {
  test('takes the first route that fits and stops there', () => {
    const routes = [
      { name: 'first', match: {}, plan: 'now', also: false },
      { name: 'second', match: {}, plan: 'escalate', also: false },
    ];

    const { plans } = route(event, noFacts, { ...samplePolicy, routes });

    assert.deepEqual(
      plans.map(({ name }) => name),
      ['now'],
    );
  });

  test('goes on after a route with `also`', () => {
    const routes = [
      { name: 'first', match: {}, plan: 'now', also: true },
      { name: 'second', match: {}, plan: 'escalate', also: false },
    ];

    const { plans, decision } = route(event, noFacts, { ...samplePolicy, routes });

    assert.deepEqual(
      plans.map(({ name }) => name),
      ['now', 'escalate'],
    );
    assert.equal(decision.reason, 'first chooses plan "now"; second chooses plan "escalate"');
  });
});
