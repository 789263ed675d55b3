import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import * as fc from 'fast-check';

import type { Registration } from '../../src/core/agent/registration.ts';
import { codexNotify } from '../../src/setup/codex-notify.ts';
import { readTomlTop, tomlStrings } from '../../src/setup/toml-top.ts';

const HOOK = '/home/dev/.local/share/hookbell/hooks/hookbell-hook';
const LINE = `notify = ["${HOOK}", "--agent", "codex"]`;
const registration: Registration = {
  by: 'notify',
  evidence: [],
  programs: [],
  files: [],
  events: [{ name: 'agent-turn-complete', timeoutSeconds: 5 }],
  words: ['--agent', 'codex'],
  afterwards: null,
};

function register(text: string | null): string {
  const edited = codexNotify.register(text, registration, HOOK);
  assert.ok(edited.ok);
  return edited.text;
}

function refusal(text: string) {
  const edited = codexNotify.register(text, registration, HOOK);
  assert.ok(!edited.ok);
  return edited;
}

describe('codexNotify.register()', () => {
  const cases: readonly (readonly [string, string | null, string])[] = [
    ['no file', null, `${LINE}\n`],
    ['an empty file', '', `${LINE}\n`],
    ['other keys', 'model = "x"\n', `model = "x"\n${LINE}\n`],
    ['no final line end', 'model = "x"', `model = "x"\n${LINE}\n`],
    [
      'tables, whose comments stay with them',
      'model = "x" # mine\n\n# the projects\n[projects."/a"]\ntrust = 1\n',
      `model = "x" # mine\n${LINE}\n\n# the projects\n[projects."/a"]\ntrust = 1\n`,
    ],
    ['tables only', '[tui]\nnotifications = true\n', `${LINE}\n[tui]\nnotifications = true\n`],
    ['a directive for editors', '#:schema x\n[a]\n', `#:schema x\n${LINE}\n[a]\n`],
    ['CRLF', 'a = 1\r\n[t]\r\n', `a = 1\r\n${LINE}\r\n[t]\r\n`],
    [
      'strings and arrays over several lines that look like tables and keys',
      'a = """\n[x]\nnotify = 1\n"""\nb = [\n  "]", # notify = 2\n  [1],\n]\n',
      `a = """\n[x]\nnotify = 1\n"""\nb = [\n  "]", # notify = 2\n  [1],\n]\n${LINE}\n`,
    ],
    [
      'our line of an earlier place',
      'a = 1\nnotify = ["/old/hookbell-hook"] # mine\nb = 2\n',
      `a = 1\n${LINE}\nb = 2\n`,
    ],
    ['a key of that name in a table', '[t]\nnotify = ["x"]\n', `${LINE}\n[t]\nnotify = ["x"]\n`],
  ];
  for (const [name, before, after] of cases) {
    test(`puts one line in beside ${name}, and changes nothing the second time`, () => {
      assert.equal(register(before), after);

      const again = codexNotify.register(after, registration, HOOK);
      assert.ok(again.ok && !again.changed);
      assert.equal(again.text, after);
    });
  }

  test('quotes what a path may hold', () => {
    const hook = '/home/d "e\\v/hookbell-hook';

    const edited = codexNotify.register('', registration, hook);

    assert.ok(edited.ok);
    assert.equal(
      edited.text,
      String.raw`notify = ["/home/d \"e\\v/hookbell-hook", "--agent", "codex"]` + '\n',
    );
    const listed = codexNotify.list(edited.text);
    assert.ok(listed.ok);
    assert.equal(listed.hooks.length, 1);
  });

  test('leaves a foreign program alone, and says what to add by hand', () => {
    const { problem, byHand } = refusal('notify = ["terminal-notifier", "-x"]\n');

    assert.equal(problem, '"notify" is taken: ["terminal-notifier", "-x"]');
    assert.ok(byHand?.includes(LINE));
  });

  for (const text of [
    'a = """x',
    'a = [1\n',
    'a = \n',
    'just words\n',
    'a = 1 ]\n',
    'notify.x = 1\n',
    '[notify]\nx = 1\n',
    '[[notify]]\n',
    'a = "x\n',
  ]) {
    test(`refuses ${JSON.stringify(text)}, which it does not understand`, () => {
      assert.notEqual(refusal(text).problem, '');
      assert.equal(codexNotify.byHand(registration, HOOK), LINE);
    });
  }
});

describe('codexNotify.unregister()', () => {
  test('takes exactly our line out, wherever it stands by now', () => {
    const text = `a = 1\n${LINE}\n\n[t]\nb = 2\n`;

    const edited = codexNotify.unregister(text);

    assert.ok(edited.ok && edited.changed && !edited.blank);
    assert.equal(edited.text, 'a = 1\n\n[t]\nb = 2\n');
  });

  test('leaves a foreign program', () => {
    const edited = codexNotify.unregister('notify = ["x"]\n');

    assert.ok(edited.ok && !edited.changed);
  });

  test('gives back any file of pairs and tables it was put into (property)', () => {
    const value = fc.oneof(
      fc.integer().map(String),
      fc.string({ unit: 'grapheme-ascii' }).map((text) => JSON.stringify(text)),
      fc.constantFrom(
        "'a # b'",
        '"""\n[x]\n"""',
        '[1, [2], "]"] # end',
        '{ a = 1 }',
        '[\n "x",\n]',
      ),
    );
    const line = fc.oneof(
      fc.tuple(fc.stringMatching(/^[a-m]{1,4}$/), value).map(([key, text]) => `${key} = ${text}`),
      fc.constantFrom('', '# notify = ["x"]', '[t]', '[[t.u]]', '  '),
    );
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const before = lines.map((text) => `${text}\n`).join('');

        const edited = codexNotify.unregister(register(before));

        assert.ok(edited.ok);
        assert.equal(edited.text, before);
      }),
    );
  });
});

test('readTomlTop() ends with any text, and its pairs follow each other (property)', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...'a = " \' [ ] { } # \n \\ , .'.split(/ /u), ' ') }),
      (text) => {
        const top = readTomlTop(text);
        if (!top.ok) return;
        let at = 0;
        for (const { start, end } of top.pairs) {
          assert.ok(start >= at && end > start);
          at = end;
        }
      },
    ),
  );
});

test('tomlStrings() reads a list of words and nothing else', () => {
  assert.deepEqual(tomlStrings('["a", \'b "c"\',\n "d\\"e",\n]'), ['a', 'b "c"', 'd"e']);
  assert.deepEqual(tomlStrings('[]'), []);
  for (const text of ['"a"', '[1]', '["a" "b"]', '["a", # b\n"c"]', '[["a"]]']) {
    assert.equal(tomlStrings(text), null, text);
  }
});
