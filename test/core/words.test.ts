import assert from 'node:assert/strict';
import { test } from 'node:test';

import { abilityText, declaredAbilities } from '../../src/core/ability.ts';
import { agentLabelOf, customNameOf, isCustomName } from '../../src/core/agent/custom-name.ts';
import { whyNoNews } from '../../src/core/decision.ts';
import { personNamed, usedCreditsText } from '../../src/core/looked-up.ts';
import {
  bodyWithoutDetails,
  briefBody,
  originText,
  roomyBody,
  toneOf,
  turnLengthText,
} from '../../src/core/notification.ts';
import { pausedText } from '../../src/core/session.ts';
import { risksText } from '../../src/core/waiting.ts';

test('abilityText() says what a channel can do, and what it needs for the rest', () => {
  const can = {
    reply: 'needs `bot`',
    snooze: 'needs `topic`',
    update: true,
    replace: true,
  } as const;

  assert.equal(
    abilityText(declaredAbilities({ ...can, decide: 'needs `topic`' })),
    'replace, update; snooze, decide (needs "topic"); reply (needs "bot")',
  );
  assert.equal(abilityText(declaredAbilities({ reply: 'needs `bot`' })), 'reply (needs "bot")');
  assert.equal(abilityText([]), '');
});

function named(agent: 'unknown' | 'program' | 'claude', name?: string): string | null {
  return customNameOf({ agent, facts: name === undefined ? {} : { agent: name } });
}

test('an agent that hookbell does not know is called as its command says, but not like one it knows', () => {
  assert.equal(named('unknown', 'Aider 2'), 'Aider 2');
  assert.equal(named('program', 'Aider 2'), 'Aider 2');
  assert.equal(named('claude', 'Aider 2'), null);
  assert.equal(named('unknown'), null);
  assert.equal(named('unknown', 'CLAUDE'), null);
  assert.equal(agentLabelOf({ agent: 'unknown', facts: { agent: 'Aider' } }), 'Aider');
  assert.equal(agentLabelOf({ agent: 'droid', facts: { agent: 'Aider' } }), 'droid');
  assert.deepEqual(['x'.repeat(40), 'x'.repeat(41), 'a\nb', ' a', 'custom', ''].map(isCustomName), [
    true,
    false,
    false,
    false,
    false,
    false,
  ]);
});

test('whyNoNews() has the reason why an event was taken for activity', () => {
  const decisions = [{ reason: 'First' }, { reason: 'Taken for activity: a reminder' }];

  assert.equal(whyNoNews({ kind: 'activity', decisions }), 'a reminder');
  assert.equal(whyNoNews({ kind: 'turn.done', decisions }), null);
  assert.equal(whyNoNews({ kind: 'activity', decisions: [] }), null);
});

test('usedCreditsText() says how much, since when, and which sum it is', () => {
  const used = { amount: 1, source: 'tokenUsage' } as const;

  assert.equal(usedCreditsText({ ...used, growth: null }), '1 credit (token usage)');
  assert.equal(
    usedCreditsText({ ...used, amount: 2_000.126, growth: { amount: 1, sinceMs: 60_000 } }),
    '+1 credit since it stopped 1 min earlier, 2,000.13 in all (token usage)',
  );
  assert.deepEqual(['ada@example.com', 'u1'].map(personNamed), [
    { id: null, email: 'ada@example.com' },
    { id: 'u1', email: null },
  ]);
});

test('toneOf() tells a permission, a question, a failure, an end and a test apart', () => {
  const rows = [
    ['test', 'info', null, 'test'],
    ['turn.done', 'info', 'trial-01234567', 'test'],
    ['turn.failed', 'critical', 's', 'failed'],
    ['needs.permission', 'warning', 's', 'permission'],
    ['needs.input', 'warning', 's', 'question'],
    ['turn.done', 'info', 's', 'done'],
    ['subagent.done', 'info', 's', 'done'],
    ['digest', 'info', null, 'info'],
  ] as const;
  for (const [kind, severity, sessionId, tone] of rows) {
    assert.equal(toneOf({ kind, severity, sessionId }), tone);
  }
});

test('a body is shown without details that stand elsewhere, or whole where there is room', () => {
  const plain = { body: 'Short\n5 min', details: '5 min' };

  assert.equal(bodyWithoutDetails(plain), 'Short');
  assert.equal(bodyWithoutDetails({ ...plain, body: 'Short' }), 'Short');
  assert.equal(bodyWithoutDetails({ body: 'Short' }), 'Short');
  assert.equal(
    roomyBody(plain, () => true),
    plain.body,
  );
  assert.equal(
    roomyBody({ ...plain, markdown: '**Whole**' }, () => true),
    'Whole\n5 min',
  );
  assert.equal(
    roomyBody({ body: 'Short', markdown: '**Whole**' }, () => true),
    'Whole',
  );
  assert.equal(
    roomyBody({ ...plain, markdown: '**Whole**' }, () => false),
    plain.body,
  );
});

test('briefBody() has of a digest the first line of six sections', () => {
  const sections = Array.from({ length: 7 }, (_, index) => `PART ${index}\nfirst\nsecond`);

  const lines = briefBody('digest', ['HEADING', ...sections].join('\n\n')).split('\n');

  assert.deepEqual(lines.slice(0, 2), ['HEADING', 'Part 0: first']);
  assert.equal(lines.length, 6);
  assert.equal(briefBody('notice', 'A\nb'), 'A\nb');
});

test('short words: who, how long, until when, and which risks', () => {
  assert.equal(originText({ user: 'ada', host: 'devbox' }), 'ada@devbox');
  assert.equal(originText({ user: null, host: 'devbox' }), 'devbox');
  assert.deepEqual([null, 999, 1_000].map(turnLengthText), [null, null, '1 s']);
  const schedule = { until: 5, round: 2 };
  assert.equal(pausedText({ state: 'paused', schedule }, String), 'paused until 5, round 2');
  assert.equal(
    pausedText({ state: 'paused', schedule: { ...schedule, until: null } }, String),
    'paused, time unknown, round 2',
  );
  assert.equal(pausedText({ state: 'paused', schedule: null }, String), null);
  assert.equal(pausedText({ state: 'done', schedule }, String), null);
  const request = {
    allowed: 1,
    denied: 0,
    elsewhere: 0,
    unanswered: 0,
    atOnce: 0,
    agents: {},
    projects: {},
  };
  assert.equal(
    risksText({ ...request, risks: ['deletes', 'runs-code'] }),
    'deletes, runs code in its arguments',
  );
  assert.equal(risksText(undefined), '');
});
