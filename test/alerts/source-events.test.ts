import assert from 'node:assert/strict';
import { test } from 'node:test';

import { fits } from '../../src/alerts/route.ts';
import type { Match } from '../../src/core/policy.ts';
import { sourceRecord } from '../../src/core/source-event.ts';
import type { SourceEvent } from '../../src/core/source-event.ts';
import { createRenderer } from '../../src/delivery/render.ts';
import { decisionRun } from '../support/decisions.ts';

const found: SourceEvent = {
  id: 'budget 2026-06',
  kind: 'notice',
  event: 'budget.threshold',
  about: 'budget/organization',
  failed: false,
  headline: 'The budget is used to 80 %',
  details: '80 of 100\nUntil Friday',
  payload: { threshold: 80 },
};
const { event } = sourceRecord(found, 7);

for (const [match, expected] of [
  [{ event: ['budget.*'] }, true],
  [{ event: ['computer.*'] }, false],
  [{ kind: ['notice'], agent: ['service'], severity: ['warning'] }, true],
  [{ severity: ['critical'] }, false],
  [{ project: ['*'] }, false],
] satisfies readonly (readonly [Match, boolean])[]) {
  test(`fits() says ${expected} for a budget notice and ${JSON.stringify(match)}`, () => {
    assert.equal(fits(match, event, { turn: null, session: null, now: 7 }), expected);
  });
}

test('a notice has its own headline, without an agent or a session', () => {
  const { title, body } = createRenderer().texts(event, null);

  assert.deepEqual([title, body], ['The budget is used to 80 %', '80 of 100\nUntil Friday']);
});

test('what a notice was about is over: its alert ends, its later steps are cancelled, and what was shown goes', () => {
  const run = decisionRun();
  const key = 'service:budget/organization';
  run.feed(event);
  assert.notEqual(run.liveAlert(key), null);

  const over = sourceRecord(
    { ...found, id: 'over', kind: 'notice.over', headline: 'Well again' },
    8,
  );
  const effects = run.feed(over.event);

  assert.equal(run.liveAlert(key), null);
  assert.deepEqual(
    effects.cancel.map(({ fromStep }) => fromStep),
    [0],
  );
  assert.equal(effects.withdraw.length, 1);
  assert.deepEqual([effects.session, effects.deliveries], [null, []]);
  assert.equal(createRenderer().texts(over.event, null).title, 'Well again');
});

test('that something else is over ends no alert', () => {
  const run = decisionRun();
  run.feed(event);

  run.feed(
    sourceRecord({ ...found, id: 'over', kind: 'notice.over', about: 'budget/models/a' }, 8).event,
  );

  assert.notEqual(run.liveAlert('service:budget/organization'), null);
});

test('a notice without details has its headline for a body, which is never empty', () => {
  const short = sourceRecord({ ...found, details: '' }, 7);

  assert.equal(createRenderer().texts(short.event, null).body, 'The budget is used to 80 %');
});
