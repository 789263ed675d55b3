import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Effect } from '../../support/reference-service/faults/effects.ts';
import type { RequestMatch } from '../../support/reference-service/faults/rules.ts';
import { createFaultRules } from '../../support/reference-service/faults/rules.ts';
import { ask, openMock } from './ask.ts';

const EFFECT: Effect = { kind: 'empty' };

/** Which of `count` equal requests meet a rule, from 1. */
function met(match: RequestMatch, count = 6, seed = 1): number[] {
  const rules = createFaultRules(seed);
  rules.add({ match, effect: EFFECT });
  return Array.from({ length: count }, (_, index) => index + 1).filter(
    () => rules.meet('GET', '/api/v0/sessions/s1').length > 0,
  );
}

const CASES: readonly [string, RequestMatch, readonly number[]][] = [
  ['no match: every request', {}, [1, 2, 3, 4, 5, 6]],
  ['nth alone: that one only', { nth: 3 }, [3]],
  ['times alone: the first ones', { times: 2 }, [1, 2]],
  ['nth and times: so many from there', { nth: 2, times: 3 }, [2, 3, 4]],
  ['probability 0: none', { probability: 0 }, []],
  ['method: another one is left alone', { method: 'POST' }, []],
  ['path: the whole of it', { path: '/api/v0/sessions' }, []],
  ['path: with a star', { path: '/api/v0/sessions/*', nth: 1 }, [1]],
  ['path: a dot is a dot', { path: '/api/v0/sessions/s.' }, []],
];

for (const [title, match, expected] of CASES) {
  test(`fault rules, ${title}`, () => {
    assert.deepEqual(met(match), expected);
  });
}

test('fault rules, probability: some, and the same ones for the same seed', () => {
  const some = met({ probability: 0.5 }, 100);

  assert.ok(some.length > 25 && some.length < 75);
  assert.deepEqual(met({ probability: 0.5 }, 100), some);
  assert.notDeepEqual(met({ probability: 0.5 }, 100, 2), some);
});

test('fault rules, nth counts only the requests that fit', () => {
  const rules = createFaultRules(1);
  rules.add({ match: { method: 'POST', nth: 2 }, effect: EFFECT });

  const kinds = ['POST', 'GET', 'POST', 'POST'].map((method) => rules.meet(method, '/').length);

  assert.deepEqual(kinds, [0, 0, 1, 0]);
});

test('fault(): what it returns takes the fault away', async () => {
  await using mock = await openMock();

  const remove = mock.fault({ effect: { kind: 'status', status: 500 } });
  const during = await ask(mock, '/api/v0/computers');
  remove();
  const after = await ask(mock, '/api/v0/computers');

  assert.deepEqual([during.status, after.status], [500, 200]);
});

test('fault(): two faults meet one request together', async () => {
  await using mock = await openMock();
  mock.fault({ effect: { kind: 'bom' } });
  mock.fault({ effect: { kind: 'field', fault: 'extra' } });

  const { text } = await ask(mock, '/api/v0/computers');

  assert.match(text, /surpriseField/);
  assert.deepEqual(mock.requests()[0]?.faults, ['bom', 'field']);
});

for (const header of [
  'nonsense',
  '{"kind":"explode"}',
  '{"kind":"latency"}',
  '[{"kind":"bom","x":1}]',
]) {
  test(`x-ref-fault: ${header} is refused by 400`, async () => {
    await using mock = await openMock();

    const { status, text } = await ask(mock, '/api/v0/computers', {
      headers: { 'x-ref-fault': header },
    });

    assert.equal(status, 400);
    assert.match(text, /x-ref-fault/);
  });
}
