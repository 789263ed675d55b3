import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import {
  type Asked,
  askedMarkdown,
  askedText,
  cleanRequest,
  wholeRequest,
} from '../../src/core/asked.ts';
import { redactText } from '../../src/text/redact.ts';

const run = (text: string) => ({ action: 'run', text, options: [] }) as const;
const plan = (text: string) => ({ action: 'plan', text, options: [] }) as const;

describe('askedText()', () => {
  test('keeps the beginning and the end of a long command', () => {
    const shown = askedText(run(`rm -rf ${'x'.repeat(900)} && git push --force`));

    assert.ok(shown.length < 260);
    assert.match(shown, /^Run: rm -rf x+ … x+ && git push --force$/);
  });

  test('takes secrets out before it cuts', () => {
    const secret = `ghp_${'Ab1Cd2Ef3G'.repeat(4)}`;

    const request = run(`echo ${'x'.repeat(130)} ${secret} ${'y'.repeat(300)}`);
    const shown = askedText(cleanRequest(request, redactText) ?? request);

    assert.ok(shown.includes('[redacted') || !shown.includes('ghp_'), shown);
    assert.equal(shown.includes('Ab1Cd2'), false);
  });

  test('shows three questions with their options, and counts the others', () => {
    const request: Asked = {
      action: 'answer',
      text: 'A form',
      options: [],
      questions: ['A form', 'Two', 'Three', 'Four'].map((text, index) => ({
        text,
        options: index === 1 ? [] : [{ label: 'a\n b', description: 'x' }],
      })),
    };
    const four = request.questions ?? [];

    assert.equal(askedText(request), 'A form\n1 a b\nTwo\nThree\n1 a b\n… 1 more');
    assert.equal(
      askedText({ ...request, questions: four.slice(0, 3) }),
      'A form\n1 a b\nTwo\nThree\n1 a b',
    );
    assert.equal(askedText({ ...request, questions: [] }), 'A form');
    assert.equal(
      askedText({ action: 'answer', text: 'Which?', options: ['A', 'B'] }),
      'Which?\n1 A · 2 B',
    );
  });

  test('shows three lines: of a command the first and the last, of a plan its beginning', () => {
    const lines = ['a', '', 'b  ', 'c'];

    assert.equal(askedText(run(lines.join('\n'))), 'Run: a\nb\nc');
    assert.equal(askedText(run([...lines, 'd'].join('\n'))), 'Run: a\n… 2 more lines …\nd');
    assert.equal(askedText(plan('1. a\n2. b\n3. c')), 'Plan: 1. a\n2. b\n3. c');
    assert.equal(
      askedText(plan('1. a\n2. b\n3. c\n4. d')),
      'Plan: 1. a\n2. b\n3. c\n… 1 more line',
    );
  });
});

function clean(text: string): string {
  return text.replace('secret', 'gone');
}

test('cleanRequest() passes every text, and adds none', () => {
  const options = [
    { label: 'a secret', description: 'secret' },
    { label: 'b', description: null },
  ];

  assert.equal(cleanRequest(null, clean), null);
  assert.deepEqual(cleanRequest(run('secret'), clean), run('gone'));
  assert.deepEqual(
    cleanRequest(
      {
        ...run('secret'),
        options: ['secret'],
        questions: [{ text: 'secret?', options }],
        diff: '  secret',
        by: 'secret',
      },
      clean,
    ),
    {
      ...run('gone'),
      options: ['gone'],
      questions: [
        {
          text: 'gone?',
          options: [
            { label: 'a gone', description: 'gone' },
            { label: 'b', description: null },
          ],
        },
      ],
      diff: '  gone',
      by: 'gone',
    },
  );
});

test('wholeRequest() and askedMarkdown() have every question and every line of a diff', () => {
  const options = [
    { label: 'A', description: 'first' },
    { label: 'B', description: null },
  ];
  const form: Asked = {
    action: 'answer',
    text: 'A form',
    options: [],
    questions: [
      { text: 'A form', options: [] },
      { text: 'Two', options },
    ],
  };
  const edit: Asked = { action: 'edit', text: 'a +1 −0', options: [], diff: '+x' };
  const long = run('a\nb\nc\nd');

  assert.equal(wholeRequest(form), 'A form\nTwo\n1 A: first\n2 B');
  assert.equal(askedMarkdown(form), 'A form\n\n\n\nTwo\n1. **A**: first\n2. **B**');
  assert.equal(wholeRequest(edit), 'Edit: a +1 −0\n+x');
  assert.equal(askedMarkdown(edit), 'Edit: a \\+1 −0\n```\n+x\n```');
  assert.equal(wholeRequest(long), 'Run: a\nb\nc\nd');
  assert.equal(askedMarkdown(long), 'Run:\n```\na\nb\nc\nd\n```');
  assert.equal(askedMarkdown({ ...long, action: 'search' }), 'Search for: a\nb\nc\nd');
  assert.equal(askedMarkdown(run('a')), null);
  assert.equal(askedMarkdown(plan('# A')), '# A');
  assert.equal(wholeRequest(plan('# A')), 'Plan: A');
});
