import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { limitChange, limitHit, repeatedLimit } from '../../src/alerts/usage-limit.ts';
import { track } from '../../src/alerts/track.ts';
import type { Session, UsageLimit } from '../../src/core/session.ts';
import type { LimitMemory } from '../../src/core/store.ts';
import { sampleEvent } from '../support/sample.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = Date.UTC(2026, 6, 9, 12, 5);
const END = NOW + HOUR;
const traits = { limitEnds: { goesOn: ['goes_on'], waits: ['waits'] } };

const limit: UsageLimit = {
  what: 'session limit',
  until: END,
  since: NOW,
  eventId: 'first',
  told: false,
};

/** A session that this limit stopped. */
function stoppedBy(usageLimit: UsageLimit | null): Session {
  return { ...track(null, sampleEvent({ at: NOW })).session, usageLimit };
}

const failure = sampleEvent({
  kind: 'turn.failed',
  failed: true,
  message: "You've hit your session limit · resets 3:05pm (Europe/Berlin)",
  at: NOW + MINUTE,
});
const nothing: LimitMemory = { sessions: [], succeededAt: null };
const unclear = { ...failure, message: "You've hit your session limit" };

describe('repeatedLimit()', () => {
  const rows: readonly {
    readonly name: string;
    readonly known: UsageLimit | null;
    readonly hit?: typeof failure;
    readonly succeededAt?: number;
    readonly repeats: boolean;
  }[] = [
    { name: 'the same limit in another session', known: limit, repeats: true },
    { name: 'no limit known', known: null, repeats: false },
    { name: 'one whose end was reported', known: { ...limit, told: true }, repeats: false },
    { name: 'one that began later', known: { ...limit, since: NOW + HOUR }, repeats: false },
    { name: 'one that ends later', known: { ...limit, until: END + 2 * MINUTE }, repeats: false },
    { name: 'an end rounded otherwise', known: { ...limit, until: END + MINUTE }, repeats: true },
    { name: 'one that is over', known: { ...limit, until: NOW + MINUTE }, repeats: false },
    { name: 'the report itself', known: { ...limit, eventId: failure.id }, repeats: false },
    { name: 'an end that was unknown', known: { ...limit, until: null }, repeats: false },
    { name: 'an unknown end, known before', known: limit, hit: unclear, repeats: true },
    {
      name: 'an unknown end twice',
      known: { ...limit, until: null },
      hit: unclear,
      repeats: true,
    },
    {
      name: 'an unknown end twice, with a success between',
      known: { ...limit, until: null },
      hit: unclear,
      succeededAt: NOW + 1,
      repeats: false,
    },
    {
      name: 'an unknown end after six hours',
      known: { ...limit, until: null },
      hit: { ...unclear, at: NOW + 6 * HOUR },
      repeats: false,
    },
  ];
  for (const { name, known, hit = failure, succeededAt = null, repeats } of rows) {
    test(`${name} -> ${repeats ? 'a repeat' : 'news'}`, () => {
      const sessions = [stoppedBy(known)];

      const decision = repeatedLimit(hit, null, () => ({ sessions, succeededAt }));

      assert.equal(decision?.verdict ?? null, repeats ? 'stop' : null);
    });
  }

  test('knows the session itself, and names the first report', () => {
    const decision = repeatedLimit(failure, stoppedBy(limit), () => nothing);

    assert.match(decision?.reason ?? '', /since event first, until 2026-07-09T13:05/);
  });
});

function changed(
  notificationType: string,
  known: UsageLimit | null,
  memory: LimitMemory,
): string | null {
  const event = sampleEvent({ kind: 'message', notificationType });
  return limitChange(event, stoppedBy(known), () => memory, traits)?.kind ?? null;
}

describe('limitChange()', () => {
  test('an agent that waits for a key reports nothing new, one that goes on does', () => {
    assert.equal(changed('waits', limit, nothing), 'activity');
    assert.equal(changed('goes_on', limit, nothing), null);
    assert.equal(changed('other', { ...limit, told: true }, nothing), null);
    assert.equal(changed('waits', null, nothing), null);
  });

  test('an end that is known already is not reported again', () => {
    const reported = stoppedBy({ ...limit, told: true });
    const another = stoppedBy({ ...limit, told: true, until: END + 2 * MINUTE });

    assert.equal(changed('goes_on', { ...limit, told: true }, nothing), 'activity');
    assert.equal(changed('goes_on', limit, { ...nothing, sessions: [reported] }), 'activity');
    assert.equal(changed('goes_on', limit, { ...nothing, sessions: [another] }), null);
    assert.equal(changed('goes_on', limit, { ...nothing, sessions: [stoppedBy(limit)] }), null);
    assert.equal(changed('goes_on', limit, { ...nothing, succeededAt: END }), 'activity');
    assert.equal(changed('goes_on', limit, { ...nothing, succeededAt: END - 1 }), null);
  });
});

test('limitHit() reads no limit from a subagent or a success', () => {
  assert.equal(limitHit(failure)?.until, END);
  assert.equal(limitHit({ ...failure, subagent: true }), null);
  assert.equal(limitHit({ ...failure, failed: false }), null);
});
