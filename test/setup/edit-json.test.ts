import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import * as fc from 'fast-check';

import type { Registration } from '../../src/core/agent/registration.ts';
import { hookCommandLine } from '../../src/setup/hook-places.ts';
import { mergeHooks, registeredHooks, removeHooks } from '../../src/setup/merge-hooks.ts';

const HOOK = '/opt/hookbell/hooks/hookbell-hook';
const registration: Registration = {
  evidence: [],
  programs: [],
  files: [],
  events: [
    { name: 'Stop', timeoutSeconds: 5 },
    { name: 'Notification', timeoutSeconds: 5 },
  ],
  afterwards: null,
};

function added(text: string): string {
  const merged = mergeHooks(text, 'wrapped', registration, HOOK);
  assert.ok(merged.ok, JSON.stringify(merged));
  return merged.text;
}

function removed(text: string): string {
  const merged = removeHooks(text, 'wrapped');
  assert.ok(merged.ok, JSON.stringify(merged));
  return merged.text;
}

describe('mergeHooks() keeps every byte of what is there, and removeHooks() gives it back', () => {
  const mine = '{"hooks": [{"type": "command", "command": "./mine"}]}';
  const files: readonly (readonly [string, string])[] = [
    ['an object on one line', '{"model":"x"}'],
    ['odd blanks', '{ "model" :   "x" ,\n\n"a":[ 1,2 ]  }\n\n'],
    ['tabs', '{\n\t"model": "x"\n}\n'],
    ['four blanks and CRLF', '{\r\n    "model": "x",\r\n    "env": {}\r\n}\r\n'],
    ['a byte-order mark', '\ufeff{\n  "model": "x"\n}\n'],
    ['no final line end', '{\n  "model": "x"\n}'],
    ['comments', '// head\n{\n  // why\n  "model": "x" // this one\n  // end\n}\n// tail\n'],
    ['a comment where nothing else is', '{\n  // nothing yet\n}\n'],
    ['a comment before the bracket', '{"model": "x" /* y */}'],
    ['a comment that ends the line inside', '{"model": "x" // y\n}'],
    [
      'commas at the end',
      '{\n  "model": "x",\n  "hooks": {\n    "Stop": [\n      1,\n    ],\n  },\n}\n',
    ],
    ['commas at the end of one line', '{"model": "x", "hooks": {"Stop": [1,],},}'],
    [
      'hooks of others',
      `{\n  "hooks": {\n    "Stop": [${mine}],\n    "Pre": [1]\n  },\n  "z": 1\n}\n`,
    ],
    [
      'hooks with comments',
      `{\n  "hooks": { // mine\n    "Stop": [\n      // first\n      ${mine} // only\n    ]\n  }\n}`,
    ],
    ['brackets that share a line', '{"hooks": {"Stop": [{\n  "hooks": []\n}]}}'],
    [
      'a number no program would write so',
      '{"big": 1e400, "one": 1.0, "id": 12345678901234567890}',
    ],
    [
      'keys that are there twice',
      '{"a": 1, "hooks": {"Stop": [1]}, "a": 2, "hooks": {"Other": [2]}}',
    ],
    [
      'escapes and names of prototypes',
      '{"__proto__": {"x": "\\u0041\\/"}, "constructor": "// no comment"}',
    ],
  ];
  for (const [name, text] of files) {
    test(name, () => {
      const edited = added(text);

      assert.deepEqual(
        registeredHooks(edited, 'wrapped')
          .map(({ event }) => event)
          .toSorted(),
        ['Notification', 'Stop'],
      );
      assert.equal(added(edited), edited);
      assert.equal(removed(edited), text);
    });
  }

  test('lays a file that holds nothing out as people would', () => {
    assert.equal(
      added('{}\n').replaceAll(/"(?:Stop|Notification)"[\s\S]*?\n {4}\]/g, (list) =>
        list.slice(0, 6),
      ),
      '{\n  "hooks": {\n    "Stop",\n    "Notif\n  }\n}\n',
    );
  });
});

describe('mergeHooks() says where a file is not JSON', () => {
  for (const [text, problem] of [
    ['{"a": 1', 'line 1, column 8: expected "," or "}"'],
    ['{\n  "a" 1\n}', 'line 2, column 7: expected ":"'],
    ['{\n  a: 1\n}', 'line 2, column 3: expected a key in double quotes'],
    ['{"a": tru}', 'line 1, column 7: expected a value'],
    ['{"a": "x\n"}', 'line 1, column 7: expected a value'],
    ['{"a": 1 "b": 2}', 'line 1, column 9: expected "," or "}"'],
    ['{} {}', 'line 1, column 4: expected the end of the file'],
    ['{ /* open', 'line 1, column 3: expected a key in double quotes'],
    ['{,}', 'line 1, column 2: expected a key in double quotes'],
    ['['.repeat(200_000), 'line 1, column 102: expected at most 100 levels'],
  ] as const) {
    test(`${JSON.stringify(text.slice(0, 20))}: ${problem}`, () => {
      assert.deepEqual(mergeHooks(text, 'wrapped', registration, HOOK), {
        ok: false,
        problem: `it is not valid JSON (${problem})`,
      });
    });
  }

  test('[]: it is not an object', () => {
    assert.deepEqual(mergeHooks('[]', 'wrapped', registration, HOOK), {
      ok: false,
      problem: 'it is not a JSON object',
    });
  });
});

/** Settings as a program may have written them, in which our events may have entries of others. */
const settings = fc.record({
  others: fc.dictionary(
    fc.string({ maxLength: 6 }).filter((key) => key !== 'hooks'),
    fc.jsonValue({ maxDepth: 2 }),
    { maxKeys: 3 },
  ),
  hooks: fc.option(
    fc.dictionary(
      fc.constantFrom('Stop', 'Notification', 'Other'),
      fc.array(fc.jsonValue({ maxDepth: 2 }), { minLength: 1, maxLength: 2 }),
      { minKeys: 1 },
    ),
  ),
});

const layout = fc.constantFrom('', '  ', '\t', '    ');

test('mergeHooks(), property: the values are those of before and ours, and removing ours gives the bytes back', () => {
  fc.assert(
    fc.property(settings, layout, fc.boolean(), ({ others, hooks: before }, indent, isCrLf) => {
      const document = before === null ? others : { ...others, hooks: before };
      const plain = JSON.stringify(document, null, indent);
      const text = isCrLf ? plain.replaceAll('\n', '\r\n') : plain;

      const edited = added(text);

      const own = { hooks: [{ type: 'command', command: hookCommandLine(HOOK, []), timeout: 5 }] };
      const hooks = {
        ...before,
        Stop: [...(before?.['Stop'] ?? []), own],
        Notification: [...(before?.['Notification'] ?? []), own],
      };
      assert.deepEqual(JSON.parse(edited), JSON.parse(JSON.stringify({ ...document, hooks })));
      assert.equal(removed(edited), text);
    }),
  );
});

test('mergeHooks(), property: comments and commas of a person stay where they are', () => {
  const gap = fc.constantFrom('', ' ', '\n', '\n  ', ' // x\n', ' /* } " */ ', '\n// y\n  ');
  const entry = fc.tuple(gap, fc.constantFrom('1', '{}', '"a//b"', '[/**/]'), gap);
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 3 }), fc.boolean(), gap, (entries, trailing, end) => {
      const members = entries.map(([lead, value, trail], at) => `${lead}"k${at}":${value}${trail}`);
      const comma = trailing && members.length > 0 ? ',' : '';
      const text = `{${members.join(',')}${comma}${end}}`;

      const edited = added(text);

      assert.equal(registeredHooks(edited, 'wrapped').length, 2);
      // White space alone between brackets does not count as a person's text.
      assert.equal(removed(edited).replace(/^\{\s*\}$/, '{}'), text.replace(/^\{\s*\}$/, '{}'));
    }),
  );
});
