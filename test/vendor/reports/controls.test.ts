import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as fc from 'fast-check';

import { hideSecrets } from '../../../src/vendor/client/hide-secrets.ts';
import { ControlChange } from '../../../src/vendor/client/controls.ts';
import { createRedactor } from '../../../src/text/redact.ts';
import {
  type ControlComparison,
  compareControls,
  changeText,
  controlTexts,
} from '../../../src/vendor/reports/compare-controls.ts';

const redactor = createRedactor({ prefixes: ['acme_'], keys: [] });

/** A revision as the client gives it: with its secrets hidden. */
function revision(number: number, settings: unknown): ControlChange {
  return ControlChange.parse(
    hideSecrets(
      {
        revision: number,
        settings,
        user: { id: 'u1', email: 'ada@x.test', name: 'Ada' },
        updatedAt: '2026-03-01T10:00:00Z',
      },
      'settings',
    ),
  );
}

function compare(before: unknown, after: unknown): ControlComparison {
  return compareControls(revision(3, before), revision(4, after), redactor);
}

const linesOf = (before: object, after: object): readonly string[] =>
  compare(before, after).changes.map(changeText);

const model = (fields: object): object => ({ customModels: [{ id: 'm', ...fields }] });

test('compareControls() reports what was set, changed, removed, renamed and retyped, and omits what is the same (acceptance 173, 188)', () => {
  assert.deepEqual(
    linesOf(
      { a: 1, kept: { deep: [1] }, retyped: 30, old: true, gone: null, nested: { x: 1, y: 2 } },
      { a: 2, kept: { deep: [1] }, retyped: '30', new: true, empty: {}, nested: { x: 1 } },
    ),
    [
      'a 1 -> 2',
      'empty not set -> {}',
      'nested.y 2 -> not set',
      'new not set -> true',
      'old true -> not set',
      'retyped 30 -> "30"',
    ],
  );
});

test('compareControls() shows lists of texts by what came and went, and their order', () => {
  assert.deepEqual(
    linesOf(
      { some: ['a', 'b'], turned: ['x', 'y'], became: ['a'] },
      { some: ['b', 'c'], turned: ['y', 'x'], became: { a: 1 } },
    ),
    [
      'became was removed - "a"',
      'became.a not set -> 1',
      'some - "a" + "c"',
      'turned was reordered',
    ],
  );
});

test('compareControls() pairs custom models by id or model, whatever their order (acceptance 177)', () => {
  const one = { id: 'one', baseUrl: 'https://a.test' };
  const two = { model: 'two', maxOutputTokens: 5 };

  assert.deepEqual(
    linesOf(
      { customModels: [one, two] },
      { customModels: [{ ...two, maxOutputTokens: 6 }, one, { id: 'three' }] },
    ),
    ['customModels.three.id not set -> "three"', 'customModels.two.maxOutputTokens 5 -> 6'],
  );
});

test('compareControls() says of a secret that it was set, changed or removed, and nothing else (acceptance 179, 180)', () => {
  const before = model({ apiKey: 's-old', extraHeaders: { auth: 's-header' }, index: 1 });
  const after = model({ apiKey: 's-new', extraArgs: ['s-arg'], index: 1, thinkingMaxTokens: 7 });

  const compared = compare(before, after);

  assert.deepEqual(compared.changes.map(changeText), [
    'customModels.m.apiKey was changed (a secret)',
    'customModels.m.extraArgs was set (a secret)',
    'customModels.m.extraHeaders.auth was removed (a secret)',
    'customModels.m.thinkingMaxTokens not set -> 7',
  ]);
  assert.doesNotMatch(
    JSON.stringify([compared, controlTexts(compared)]),
    /s-(?:old|new|arg|header)/,
  );
});

test('compareControls() takes out what is a secret by its look, the own kinds of the configuration too', () => {
  const shown = JSON.stringify([
    compare(
      {},
      {
        note: 'acme_0123456789abcdef',
        commandAllowlist: ['ghp_0123456789abcdefghijABCDEFGHIJ012345'],
      },
    ),
  ]);

  assert.doesNotMatch(shown, /0123456789/);
  assert.match(shown, /redacted:git-token/);
});

test('compareControls() never lets a secret through, wherever it stands', () => {
  const name = fc.constantFrom(
    'apiKey',
    'x-token',
    'secretPart',
    'cloudAuthRefresh',
    'extraHeaders',
  );
  const value = fc.letrec((tie) => ({
    leaf: fc.oneof(
      fc.nat(9).map((digit) => `seeded-${digit}`),
      fc.record({ inner: fc.constant('seeded-1') }),
      fc.constant(['seeded-2', { deep: 'seeded-3' }]),
    ),
    tree: fc.oneof(
      fc.boolean(),
      fc.nat(5),
      fc.constant(null),
      fc.dictionary(fc.constantFrom('a', 'b', 'id'), tie('tree'), { maxKeys: 3 }),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(name, tie('leaf'), { maxKeys: 2 }),
    ),
  })).tree;

  fc.assert(
    fc.property(value, value, (before, after) => {
      const compared = compare({ x: before }, { x: after });
      assert.doesNotMatch(JSON.stringify([compared, controlTexts(compared)]), /seeded-/);
      assert.deepEqual(compare({ x: after }, { x: after }).changes, []);
    }),
  );
});

for (const { what, before, after, loosens } of [
  {
    what: 'an allow list that grew',
    before: { commandAllowlist: ['a'] },
    after: { commandAllowlist: ['a', 'b'] },
    loosens: true,
  },
  {
    what: 'an allow list that shrank',
    before: { commandAllowlist: ['a', 'b'] },
    after: { commandAllowlist: ['a'] },
    loosens: false,
  },
  {
    what: 'an allow list that is gone',
    before: { mcpPolicy: { allowlist: ['a'] } },
    after: { mcpPolicy: {} },
    loosens: true,
  },
  {
    what: 'a deny list that shrank',
    before: { commandDenylist: ['a', 'b'] },
    after: { commandDenylist: ['a'] },
    loosens: true,
  },
  {
    what: 'a deny list that grew',
    before: { commandDenylist: ['a'] },
    after: { commandDenylist: ['a', 'b'] },
    loosens: false,
  },
  {
    what: 'a block list that is gone',
    before: { modelPolicy: { blockedModelIds: ['a'] } },
    after: {},
    loosens: true,
  },
  {
    what: 'a deny list that became a text',
    before: { commandDenylist: ['a'] },
    after: { commandDenylist: 'none' },
    loosens: true,
  },
  {
    what: 'an allow list that became a text',
    before: { commandAllowlist: ['a'] },
    after: { commandAllowlist: '*' },
    loosens: true,
  },
  {
    what: 'a deny setting that was never a list',
    before: { denyMode: 'some' },
    after: { denyMode: 'more' },
    loosens: false,
  },
  {
    what: 'a sandbox that is off',
    before: { sandbox: { enabled: true } },
    after: { sandbox: { enabled: false } },
    loosens: true,
  },
  {
    what: 'a sandbox that is on',
    before: { sandbox: { enabled: false } },
    after: { sandbox: { enabled: true } },
    loosens: false,
  },
  {
    what: 'a sandbox of another type',
    before: { sandbox: { enabled: true } },
    after: { sandbox: 'on' },
    loosens: true,
  },
  {
    what: 'a shorter retention',
    before: { sessionRetentionDays: 90 },
    after: { sessionRetentionDays: 30 },
    loosens: true,
  },
  {
    what: 'a retention of another type',
    before: { sessionRetentionDays: 90 },
    after: { sessionRetentionDays: '90' },
    loosens: true,
  },
  {
    what: 'a permission that was given',
    before: {},
    after: { modelPolicy: { allowCustomModels: true } },
    loosens: true,
  },
  {
    what: 'a restriction that was lifted',
    before: { missionPolicy: { restrictedAccess: true } },
    after: { missionPolicy: { restrictedAccess: false } },
    loosens: true,
  },
  {
    what: 'one more known marketplace',
    before: { strictKnownMarketplaces: [{ repo: 'a/b' }] },
    after: { strictKnownMarketplaces: [{ repo: 'a/b' }, { repo: 'c/d' }] },
    loosens: true,
  },
  {
    what: 'another default model',
    before: { sessionDefaultSettings: { model: 'a' } },
    after: { sessionDefaultSettings: { model: 'b' } },
    loosens: false,
  },
]) {
  test(`compareControls() ${loosens ? 'marks' : 'does not mark'} ${what} as loosening`, () => {
    const { changes } = compare(before, after);

    assert.ok(changes.length > 0);
    assert.equal(
      changes.some((change) => change.loosens !== null),
      loosens,
    );
  });
}

test('controlTexts() says who, when and which settings, what loosens first', () => {
  const compared = compare(
    { a: 1, sandbox: { enabled: true } },
    { a: 2, sandbox: { enabled: false } },
  );

  assert.deepEqual(controlTexts(compared), {
    headline: 'Ada loosened the enterprise controls: sandbox.enabled and 1 more',
    details: [
      'sandbox.enabled true -> false (high: the sandbox is off)',
      'a 1 -> 2',
      'Revision 4 after 3, by Ada (ada@x.test) on 2026-03-01 10:00 UTC',
    ].join('\n'),
  });
});

test('controlTexts() says where nothing older is known, and where nothing differs', () => {
  const oldest = controlTexts(compareControls(null, revision(1, { a: 1 }), redactor));
  const same = controlTexts(compare({ a: 1 }, { a: 1 }));

  assert.match(oldest.details, /^Changes unknown: no earlier revision available\n/);
  assert.match(same.details, /^No settings differ\n/);
});
