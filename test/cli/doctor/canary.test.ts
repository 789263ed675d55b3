import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { CanaryEvent, CanarySubject } from '../../../src/cli/doctor/canary.ts';
import {
  checkOf,
  eventsOfTrial,
  isComplete,
  judgeCanary,
  silenceChecks,
} from '../../../src/cli/doctor/canary.ts';

const subject: CanarySubject = {
  agent: 'qwen',
  registered: ['SessionStart', 'Stop', 'SessionEnd', 'PostToolUse'],
  trial: {
    headless: ['qwen', '-p'],
    events: ['SessionStart', 'Stop', 'NotRegistered'],
    closing: ['SessionEnd'],
    lostHeadless: ['SessionEnd'],
  },
  silentAbout: ['turn.interrupted'],
  headless: false,
  afterwards: 'Restart it',
};
const headless: CanarySubject = { ...subject, headless: true };

function arrived(event: string, fields: Partial<CanaryEvent> = {}): CanaryEvent {
  const base = { agent: 'qwen', sessionId: 's', at: 2_000, receivedAt: 2_012 } as const;
  return { ...base, event, repeated: false, marked: false, ...fields };
}

describe('judgeCanary() and checkOf()', () => {
  const cases: readonly [string, CanarySubject, readonly CanaryEvent[], string, string, RegExp][] =
    [
      ['an event', subject, [arrived('Stop')], 'Stop', 'ok', /^arrived after 1\.0 s, .* 12 ms$/],
      [
        'an event that took its time',
        subject,
        [arrived('Stop', { receivedAt: 9_000 })],
        'Stop',
        'warning',
        /^arrived late: .* 7000 ms$/,
      ],
      [
        'an event of two registrations',
        subject,
        [arrived('Stop'), arrived('Stop', { repeated: true })],
        'Stop',
        'warning',
        /^arrived 2 times .*registered twice/,
      ],
      [
        'two events of one name',
        subject,
        [arrived('Stop'), arrived('Stop', { at: 5_000, receivedAt: 5_001 })],
        'Stop',
        'ok',
        /^arrived 2 times, first after 1\.0 s/,
      ],
      ['an event that is missing', subject, [], 'Stop', 'problem', /^did not arrive$/],
      ['a session that goes on', subject, [], 'SessionEnd', 'skipped', /when the session ends/],
      ['what the agent keeps back', headless, [], 'SessionEnd', 'skipped', /without a terminal/],
      ['an unrequested event', subject, [], 'PostToolUse', 'skipped', /one prompt does not/],
      [
        'an event of another agent',
        subject,
        [arrived('Stop', { agent: 'claude' })],
        'Stop',
        'problem',
        /^did not arrive$/,
      ],
    ];
  for (const [name, who, events, event, state, summary] of cases) {
    test(`says "${state}" of ${name}`, () => {
      const finding = judgeCanary(who, events, 1_000).find((found) => found.event === event);

      assert.ok(finding);
      const check = checkOf(finding, who);
      assert.equal(check.name, `qwen ${event}`);
      assert.equal(check.state, state);
      assert.match(check.summary, summary);
      assert.equal(check.hint === null, state === 'ok' || state === 'skipped');
    });
  }
});

test('eventsOfTrial() keeps to the session with the marker, and takes all where none has it', () => {
  const other = arrived('Stop', { sessionId: 'other' });
  const own = arrived('Stop');

  assert.deepEqual(eventsOfTrial(subject, [other, own]), [other, own]);
  const prompt = arrived('UserPromptSubmit', { marked: true });
  assert.deepEqual(eventsOfTrial(subject, [other, own, prompt]), [own, prompt]);
});

test('isComplete() waits for what is registered and comes, and for the end of the session unless it is kept back', () => {
  const two = [arrived('SessionStart'), arrived('Stop')];

  assert.equal(isComplete(subject, two.slice(1)), false);
  assert.equal(isComplete(subject, two), false);
  assert.equal(isComplete(subject, [...two, arrived('SessionEnd')]), true);
  assert.equal(isComplete(headless, two), true);
});

test('silenceChecks() names what an agent never reports', () => {
  assert.match(silenceChecks(subject)[0]?.summary ?? '', /no event for turn\.interrupted/);
  assert.deepEqual(silenceChecks({ ...subject, silentAbout: [] }), []);
});
