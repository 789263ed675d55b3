import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { projectRoot } from './support/hookbell-home.ts';

/** Turns of speech that native technical writers do not use, and what they write. */
const dropped: readonly (readonly [RegExp, string])[] = [
  [/\b(?:is|are|was|were|be|been|being) told\b/i, 'is notified'],
  [/\b(?:told|tells?) of\b/i, 'notify, report'],
  [/\bhears? of\b/i, 'is notified'],
  [/\bnobody\b/i, 'no one, or the role'],
  [/\bwhoever\b/i, 'anyone who, or the role'],
  [/\bsomebody\b/i, 'someone, or the role'],
  [/\b(?:every|any)body\b/i, 'everyone or anyone, or the role'],
  [/\bsa(?:ys?|id) nothing\b/i, 'prints nothing, is empty, does not report'],
  [/\bfor ever\b/i, 'forever'],
  [/\bas it came\b/i, 'verbatim, unchanged'],
  [/\bwhat becomes of\b/i, 'a noun, such as "delivery outcome"'],
  [/^\s*(?:\/\*\*|\*) Answers\b/, 'Returns'],
  [/\bat once\b/i, 'immediately, concurrently, in a burst'],
  [/(?<!\bthere )\b(?:is|are|was|were) no (?!longer\b|one\b|more\b)\w/i, 'is not a'],
  [/\b(?:at most|for|after|within) so (?:many|long|often)\b/i, 'at most, timeout, interval'],
  [/\bof (?:its|their|your|our|his|her|my) own(?=[.,;:)]|['"`*]|\s*$)/i, 'its own, separate'],
  [/\b(?:she|hers?|herself)\b/i, 'they, their'],
  [/\bany more\b(?! \w+s\b)/i, 'no longer'],
  [/\bwork(?:s|ed|ing)? off\b/i, 'clear, process'],
  [/\bhand(?:s|ed|ing)? in\b/i, 'send, report'],
  [/\/\*\* (?:Those|It)\b/, 'a noun that says what it is'],
  [/\/\*\* The same(?:[,.]| (?:for|with|without|in|but|as|of)\b)/, 'a noun, or "Like NAME, but"'],
];

/** One word in backticks, such as the name of a value or a user, is code and not prose. */
const codeSpan = /`[\w-]+`/g;

test('sources, benchmarks and documents are written in plain English', () => {
  const files = [
    ...filesOf('src', '.ts'),
    ...filesOf('hooks', '.ts'),
    ...filesOf('bench', '.ts'),
    ...filesOf('scripts', '.mjs'),
    ...filesOf('docs', '.md'),
    'README.md',
    'CHANGELOG.md',
    'SECURITY.md',
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
  ];

  assert.ok(files.length > 600);
  assert.deepEqual(
    files.flatMap((name) => findingsIn(name, () => true)),
    [],
  );
});

test('the names and comments of tests are written in plain English', () => {
  const files = filesOf('test', '.ts').filter((name) => name !== 'test/english.test.ts');
  const names = /\b(?:test|describe)\(['"`]|^\s*(?:name|title): ['"`]|^\s*['"`].* .*['"`],$/;
  const comments = /^\s*(?:\/[/*]|\* )/;

  assert.ok(files.length > 600);
  assert.deepEqual(
    files.flatMap((name) => findingsIn(name, (line) => names.test(line) || comments.test(line))),
    [],
  );
});

function findingsIn(name: string, isRead: (line: string) => boolean): readonly string[] {
  return readFileSync(join(projectRoot, name), 'utf8')
    .split('\n')
    .flatMap((line, index) =>
      dropped.flatMap(([turn, better]) => {
        const found = isRead(line) ? turn.exec(line.replaceAll(codeSpan, '``')) : null;
        return found === null
          ? []
          : [`${name}:${index + 1}: "${found[0].trim()}": write ${better}`];
      }),
    );
}

function filesOf(folder: string, ending: string): readonly string[] {
  return readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => `${folder}/${name}`);
}
