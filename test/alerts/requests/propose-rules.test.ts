import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ruleLanguages } from '../../../src/agents/rule-languages.ts';
import {
  openRisks,
  type PastRequest,
  proposeRules,
  useOfRule,
} from '../../../src/alerts/requests/propose-rules.ts';
import { isPartWithin, requestPattern } from '../../../src/alerts/requests/request-pattern.ts';
import type { RuleLanguage } from '../../../src/core/agent/rule-language.ts';
import type { Asked } from '../../../src/core/asked.ts';
import type { AgentName } from '../../../src/core/hook-event.ts';
import { loadShellParser } from '../../../src/platform/shell-syntax.ts';

const parse = await loadShellParser();
const languageOf = (agent: AgentName): RuleLanguage | null => ruleLanguages[agent] ?? null;

/** Allowed five times in two sessions, unless it says otherwise. */
function past(
  text: string,
  fields: Partial<PastRequest & Pick<Asked, 'action'>> & { readonly tool?: string } = {},
): PastRequest {
  const { action = 'run', tool = 'Bash', ...more } = fields;
  const pattern = requestPattern({ tool, asked: { action, text, options: [] } }, parse);
  assert.ok(pattern !== null, text);
  const root = more.root ?? '/home/me/shop';
  return {
    agent: 'claude',
    project: 'shop',
    root,
    pattern,
    allowed: 5,
    denied: 0,
    unknown: 0,
    unanswered: 0,
    waitedMs: 60_000,
    calls: 5,
    firstAt: 0,
    sessions: [`${root} 1`, `${root} 2`],
    ...more,
  };
}

const open = (line: string) => openRisks({ type: 'command', words: line.split(' '), isOpen: true });

const rulesFor = (...requests: readonly PastRequest[]): readonly (readonly string[])[] =>
  proposeRules(requests, languageOf).map(({ root, rules }) => [root ?? '*', ...rules]);

test('proposeRules() proposes what was allowed five times in two sessions and never denied', () => {
  assert.deepEqual(rulesFor(past('npm run build')), [['/home/me/shop', 'Bash(npm run build)']]);
  for (const few of [{ allowed: 4 }, { sessions: ['1'] }, { denied: 1 }, { unknown: 1 }]) {
    assert.deepEqual(rulesFor(past('npm run build', few)), []);
  }
});

test('proposeRules() takes the narrowest level, and a wider one only for further evidence', () => {
  const args = ['a', 'b', 'c', 'd', 'e'].map((name) =>
    past(`npm run test -- ${name}`, { allowed: 1, sessions: [name] }),
  );

  assert.deepEqual(rulesFor(...args), [['/home/me/shop', 'Bash(npm run test:*)']]);
  assert.deepEqual(rulesFor(past('npm run test'), past('npm run test -- a', { allowed: 1 })), [
    ['/home/me/shop', 'Bash(npm run test)'],
  ]);
  assert.deepEqual(rulesFor(...['a', 'b', 'c'].map((name) => past(`npm run test -- ${name}`))), [
    ['/home/me/shop', 'Bash(npm run test:*)'],
  ]);
  assert.equal(rulesFor(...['a', 'b'].map((name) => past(`npm run test -- ${name}`))).length, 2);
  // The wider one takes the place of the narrower one.
  assert.deepEqual(rulesFor(past('npm run test'), ...args), [
    ['/home/me/shop', 'Bash(npm run test:*)'],
  ]);
});

test('proposeRules() proposes a rule for all projects only from two', () => {
  const depot = { root: '/home/me/depot', project: 'depot' };

  assert.deepEqual(rulesFor(past('git status'), past('git status', depot)), [
    ['*', 'Bash(git status)'],
  ]);
  assert.deepEqual(rulesFor(past('git status'), past('git status', { ...depot, allowed: 1 })), [
    ['/home/me/shop', 'Bash(git status)'],
  ]);
});

test('proposeRules() proposes nothing risky, whatever was allowed', () => {
  const risky = [
    'rm -rf build',
    'git push --force',
    'npm publish',
    'sudo make install',
    'curl -d @x https://example.org',
    'cat .env',
    'node -e 1',
    'echo x > /etc/hosts',
    'npm install lodash',
    'docker run x',
    'git reset --hard',
  ];

  for (const text of risky) assert.deepEqual(rulesFor(past(text)), [], text);
  assert.deepEqual(rulesFor(past('shop', { action: 'use', tool: 'mcp__shop__delete_order' })), []);
});

test('openRisks() names what further words could do', () => {
  assert.deepEqual(open('npm run test'), []);
  assert.deepEqual(open('cargo test'), []);
  for (const line of [
    'git branch',
    'git reset',
    'npm install',
    'docker run',
    'cat',
    'make test',
    'git config',
    'kubectl',
  ]) {
    assert.notDeepEqual(open(line), [], line);
  }
  const varied = ['a', 'b', 'c', 'd', 'e'].map((name) =>
    past(`git branch ${name}`, { allowed: 1, sessions: [name] }),
  );
  assert.deepEqual(rulesFor(...varied), []);
});

test('proposeRules() shows every past request that a rule matches, and what it allows at worst', () => {
  const [proposal] = proposeRules(
    [
      ...['a', 'b', 'c', 'd', 'e'].map((name) =>
        past(`npm run test -- ${name}`, { allowed: 1, sessions: [name] }),
      ),
      past('npm run test', { allowed: 0, unanswered: 2, calls: 0, sessions: [] }),
    ],
    languageOf,
  );

  assert.deepEqual(proposal?.saved, { requests: 5, sessions: 5, ms: 360_000 });
  assert.equal(proposal?.matches.length, 6);
  assert.match(proposal?.worst.join() ?? '', /^runs "npm run test" with any arguments/);
});

test('proposeRules() writes the language of the agent, and nothing that it would stretch', () => {
  const edits = ['src/a.ts', 'src/b.ts', 'src/c.ts', 'src/d.ts', 'src/e.ts'].map((text) => ({
    text,
    fields: { action: 'edit', allowed: 1, sessions: [text] } as const,
  }));
  const editsOf = (agent: AgentName) =>
    edits.map(({ text, fields }) => past(text, { ...fields, agent, tool: 'Edit' }));
  const fetches = ['a', 'b', 'c', 'd', 'e'].map((name) =>
    past(`https://nodejs.org/${name}`, {
      action: 'fetch',
      tool: 'WebFetch',
      allowed: 1,
      sessions: [name],
    }),
  );

  assert.deepEqual(rulesFor(...editsOf('claude')), [['/home/me/shop', 'Edit(/src/**)']]);
  assert.deepEqual(rulesFor(...editsOf('qwen')), [['/home/me/shop', 'Edit(/src/**)']]);
  assert.deepEqual(rulesFor(...editsOf('codex')), []);
  assert.deepEqual(rulesFor(...fetches), [['/home/me/shop', 'WebFetch(domain:nodejs.org)']]);
  assert.deepEqual(
    rulesFor(past('find (city: Rome)', { action: 'use', tool: 'mcp__maps__find' })),
    [['/home/me/shop', 'mcp__maps__find']],
  );
  // A rule of Codex is always a beginning, one of OpenCode never, and Qwen Code stretches those of commands.
  assert.deepEqual(rulesFor(past('cargo test --all', { agent: 'codex' })), [
    ['/home/me/shop', 'prefix_rule(pattern=["cargo","test"], decision="allow")'],
  ]);
  assert.deepEqual(rulesFor(past('cargo test --all', { agent: 'opencode' })), [
    ['/home/me/shop', 'cargo test --all'],
  ]);
  assert.deepEqual(rulesFor(past('cargo test', { agent: 'qwen' })), []);
  assert.deepEqual(rulesFor(past('cargo test', { agent: 'droid' })), []);
});

test('what a language writes, it reads as the same', () => {
  const parts = [
    past('npm run test -- a'),
    past('git log --oneline -5'),
    past('cargo test'),
    past('src/a/b.ts', { action: 'edit', tool: 'Edit' }),
    past('https://nodejs.org/x', { action: 'fetch', tool: 'WebFetch' }),
    past('find', { action: 'use', tool: 'mcp__maps__find' }),
  ].flatMap(({ pattern }) => pattern.levels.flatMap(({ rules }) => rules));
  let written = 0;
  for (const language of Object.values(ruleLanguages)) {
    for (const part of parts) {
      const rule = language.write(part, 'project');
      if (rule === null) continue;
      const read = language.read(rule);
      written += 1;
      assert.ok(
        read !== null &&
          isPartWithin(part, read) &&
          isPartWithin(read, { ...part, type: read.type }),
        rule,
      );
    }
  }
  assert.ok(written > 20);
});

test('useOfRule() finds rules that nothing needs, and those wider than their use', () => {
  const language = ruleLanguages.claude;
  assert.ok(language !== undefined);
  const calls = [past('git status'), past('git log -5'), past('npm run test')];
  const use = (rule: string) => useOfRule(rule, calls, language);

  assert.equal(use('Bash(cargo test:*)').calls, 0);
  assert.deepEqual(use('Bash(git:*)'), {
    rule: 'Bash(git:*)',
    calls: 10,
    narrower: ['git status:*', 'git log:*'],
  });
  assert.deepEqual(use('Bash(npm run test:*)').narrower, []);
  assert.equal(use('Bash(a "b c")').calls, null);
});
