import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';

import { plainFromMarkdown } from '../../src/text/markdown.ts';

describe('plainFromMarkdown() (B14)', () => {
  const rows: readonly (readonly [string, string, string])[] = [
    ['headings', '## Summary ##\nDone', 'Summary\nDone'],
    [
      'bold and italic',
      'All **42 tests** _pass_, *really*, __yes__',
      'All 42 tests pass, really, yes',
    ],
    ['code', 'Run `npm test` or ``a ` b``', 'Run npm test or a ` b'],
    ['nothing inside of code', '`**kwargs` and `_private_`', '**kwargs and _private_'],
    [
      'links and images, and keeps their addresses',
      'See [the **docs**](https://x.example/a_b) ![x](y.png), [https://x.example](https://x.example/), [me](mailto:a@x.example)',
      'See the docs (https://x.example/a_b) x, https://x.example, me (a@x.example)',
    ],
    ['a longer fence', '````\n```\na\n```\n````\n**b**', '```\na\n```\nb'],
    [
      'lists',
      '- one\n* two\n  + three\n- [x] four\n1. five',
      '• one\n• two\n  • three\n• four\n1. five',
    ],
    [
      'code blocks',
      'Before\n```ts\nconst a = b * c * d;\n```\nAfter',
      'Before\nconst a = b * c * d;\nAfter',
    ],
    ['tables', '| File | Change |\n|---|:--:|\n| a.ts | +3 |', 'File · Change\na.ts · +3'],
    ['quotes and rules', '> quoted\n\n---\n\nafter', 'quoted\n\nafter'],
    ['escapes', 'a \\* b \\_ c', 'a * b _ c'],
    ['strikethrough', '~~old~~ new', 'old new'],
  ];
  for (const [what, markdown, plain] of rows) {
    test(`takes the signs of ${what} out`, () => {
      assert.equal(plainFromMarkdown(markdown), plain);
    });
  }

  for (const text of [
    'snake_case_name and __init__.py of 2 * 3 * 4',
    'glob src/**/*.ts and a*b*c',
    'C:\\Users\\dev\\shop',
    'a | b without a table',
    'Claude needs your permission to use Bash',
    '5 - 3 = 2, and -v is an option',
  ]) {
    test(`leaves ${JSON.stringify(text)} readable`, () => {
      const plain = plainFromMarkdown(text);

      assert.equal(plain.replaceAll(/[\\*_]/g, ''), text.replaceAll(/[\\*_]/g, ''));
    });
  }

  test('takes linear time on the worst texts of 1 MB', () => {
    const module = new URL('../../src/text/markdown.js', import.meta.url).href;
    const worst = [
      '*',
      '_',
      '**a',
      '[a](',
      '![',
      '`',
      '`a``',
      '| ',
      '|-',
      '> ',
      '# ',
      '~~a',
      '\\',
      '_a_ ',
      '[a',
    ];
    const script = `import { plainFromMarkdown } from ${JSON.stringify(module)};
      for (const one of ${JSON.stringify(worst)}) plainFromMarkdown(one.repeat(1e6 / one.length));`;

    const { status, signal } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      timeout: 60_000,
    });

    assert.deepEqual([status, signal], [0, null]);
  });
});
