import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { ruleLanguages } from '../../src/agents/rule-languages.ts';
import type { RulePart, RuleScope } from '../../src/core/agent/rule-language.ts';

type Language = keyof typeof ruleLanguages;

function part(type: RulePart['type'], text: string, isOpen = false): RulePart {
  return { type, words: text === '' ? [] : text.split(' '), isOpen };
}

function written(language: Language, one: RulePart, scope: RuleScope = 'project'): string | null {
  const { write } = ruleLanguages[language] ?? assert.fail(language);
  return write(one, scope);
}

function read(language: Language, rule: string): RulePart | null {
  return (ruleLanguages[language] ?? assert.fail(language)).read(rule);
}

const oneTest = part('command', 'npm test');
const anyTest = part('command', 'npm test', true);
const geminiRule =
  '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "npm test"\ndecision = "allow"\npriority = 100';

describe('rules that an agent takes', () => {
  const rows: readonly (readonly [Language, RulePart, string])[] = [
    ['claude', oneTest, 'Bash(npm test)'],
    ['claude', anyTest, 'Bash(npm test:*)'],
    ['claude', part('command', 'ls -l=$x'), 'Bash(ls -l=$x)'],
    ['claude', part('edit', 'src', true), 'Edit(/src/**)'],
    ['claude', part('edit', 'src a.ts'), 'Edit(/src/a.ts)'],
    ['claude', part('fetch', 'https: nodejs.org', true), 'WebFetch(domain:nodejs.org)'],
    ['claude', part('use', 'maps find', true), 'mcp__maps__find'],
    ['qwen', part('use', 'maps find', true), 'mcp__maps__find'],
    ['codex', anyTest, 'prefix_rule(pattern=["npm","test"], decision="allow")'],
    ['opencode', oneTest, 'npm test'],
    ['gemini', anyTest, geminiRule],
  ];
  for (const [language, one, rule] of rows) {
    test(`${language}: ${rule.replaceAll('\n', ' ')}`, () => {
      assert.equal(written(language, one), rule);
      assert.deepEqual(read(language, rule), one);
    });
  }

  test('a file of another type, and of all projects', () => {
    assert.equal(written('claude', part('write', 'a.ts')), 'Edit(/a.ts)');
    assert.equal(written('claude', part('edit', 'src', true), 'user'), 'Edit(./src/**)');
    assert.deepEqual(read('claude', 'Edit(./src/**)'), part('edit', 'src', true));
    assert.deepEqual(read('claude', 'Edit(src/a.ts)'), part('edit', 'src a.ts'));
  });

  test('a rule in a form that only a person writes', () => {
    for (const rule of ['Bash', 'Bash(*)'])
      assert.deepEqual(read('claude', rule), part('command', '', true), rule);
    assert.deepEqual(read('claude', 'Bash()'), part('command', '', true));
    assert.deepEqual(read('claude', 'Bash(npm test *)'), anyTest);
    assert.deepEqual(read('claude', 'mcp__maps'), part('use', 'maps', true));
    assert.deepEqual(read('opencode', '*'), part('command', '', true));
    assert.deepEqual(read('opencode', 'npm test *'), anyTest);
  });
});

describe('what no rule of an agent can say', () => {
  const rows: readonly (readonly [Language, RulePart])[] = [
    ['claude', part('command', '')],
    ['claude', part('command', 'cat *.ts')],
    ['claude', part('command', 'cat (x)')],
    ['claude', part('edit', '..secret')],
    ['claude', part('edit', 'src *')],
    ['claude', part('fetch', 'https: nodejs.org')],
    ['claude', part('fetch', 'http: nodejs.org', true)],
    ['claude', part('fetch', 'https: nodejs.org:99', true)],
    ['claude', part('use', 'maps')],
    ['claude', part('use', 'maps find now')],
    ['claude', part('use', 'maps f*')],
    ['claude', part('search', 'maps find')],
    ['qwen', anyTest],
    ['codex', oneTest],
    ['codex', part('edit', 'src', true)],
    ['codex', part('command', 'cat *.ts', true)],
    ['opencode', anyTest],
    ['opencode', part('edit', 'a.ts')],
    ['gemini', oneTest],
    ['gemini', part('edit', 'src', true)],
  ];
  for (const [language, one] of rows) {
    test(`${language}: ${one.type} ${one.words.join(' ')}${one.isOpen ? ' …' : ''}`, () => {
      assert.equal(written(language, one), null);
    });
  }
});

describe('rules whose meaning is not known', () => {
  const rows: readonly (readonly [Language, string])[] = [
    ['claude', 'Bash(a "b c")'],
    ['claude', 'Bash( x)'],
    ['claude', 'Edit(../x)'],
    ['claude', 'Edit(src/*.ts)'],
    ['claude', 'WebFetch'],
    ['claude', 'WebFetch(domain:*)'],
    ['claude', 'Read(domain:nodejs.org)'],
    ['claude', 'Task'],
    ['codex', 'prefix_rule(pattern=["npm"], decision="deny")'],
    ['codex', 'prefix_rule(pattern=[["npm"]], decision="allow")'],
    ['codex', 'prefix_rule(pattern=["npm, decision="allow")'],
    ['codex', '# a comment'],
    ['opencode', 'npm t*st'],
    ['gemini', geminiRule.replace('allow', 'deny')],
  ];
  for (const [language, rule] of rows) {
    test(`${language}: ${rule.replaceAll('\n', ' ')}`, () => {
      assert.equal(read(language, rule), null);
    });
  }
});
