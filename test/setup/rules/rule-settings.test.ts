import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { ruleLanguages } from '../../../src/agents/rule-languages.ts';
import type { RuleLanguage } from '../../../src/core/agent/rule-language.ts';
import type { AgentName } from '../../../src/core/hook-event.ts';
import { rulesIn, withoutRules, withRules } from '../../../src/setup/rules/edit-rules.ts';
import {
  applyRules,
  managedBy,
  planRules,
  ruleJournal,
  rulesOf,
  undoRules,
} from '../../../src/setup/rules/rule-settings.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

function languageOf(agent: AgentName): RuleLanguage {
  const language = ruleLanguages[agent];
  assert.ok(language !== undefined);
  return language;
}

const texts: readonly (readonly [AgentName, string, string])[] = [
  ['claude', '', 'Bash(npm test)'],
  ['claude', '{}', 'Bash(npm test)'],
  ['claude', '{\n  // mine\n  "permissions": {"allow": ["Bash(a)",],},\n}\n', 'Bash(npm test)'],
  [
    'claude',
    '{\r\n\t"permissions": {\r\n\t\t"allow": [\r\n\t\t\t"Read"\r\n\t\t]\r\n\t}\r\n}',
    'Edit(/src/**)',
  ],
  ['opencode', '{ "permission": { "bash": { "*": "ask" } } }', 'npm test'],
  [
    'codex',
    '# mine\nprefix_rule(pattern=["a"], decision="prompt")',
    'prefix_rule(pattern=["npm","test"], decision="allow")',
  ],
  [
    'gemini',
    '',
    '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "npm test"\ndecision = "allow"\npriority = 100',
  ],
];

test('withRules() adds a rule once and keeps all other bytes, withoutRules() takes it out', () => {
  for (const [agent, text, rule] of texts) {
    const language = languageOf(agent);

    const added = withRules(text, language, [rule]);

    assert.ok(added.ok, text);
    assert.ok(rulesIn(added.text, language).includes(rule), added.text);
    const again = withRules(added.text, language, [rule]);
    assert.equal(again.ok && again.text, added.text);
    const removed = withoutRules(added.text, language, [rule]);
    assert.ok(removed.ok && !rulesIn(removed.text, language).includes(rule));
    assert.deepEqual(rulesIn(removed.text, language), rulesIn(text, language));
    // Whatever was there is there still, in its order.
    let at = 0;
    for (const word of text.match(/\w+/g) ?? []) at = added.text.indexOf(word, at);
    assert.ok(at >= 0, added.text);
  }
});

test('withRules() leaves alone what it does not understand, and does not replace how OpenCode asks', () => {
  const refused: readonly (readonly [AgentName, string])[] = [
    ['claude', '[]'],
    ['claude', '{"permissions": {"allow": "Bash"}}'],
    ['claude', '{"permissions": '],
    ['opencode', '{}'],
    ['opencode', '{"permission": {"edit": "ask"}}'],
    ['opencode', '{"permission": {"bash": "deny"}}'],
  ];

  for (const [agent, text] of refused)
    assert.equal(withRules(text, languageOf(agent), ['x']).ok, false, text);
  const wide = withRules('{"permission": {"bash": "ask"}}', languageOf('opencode'), ['x']);
  assert.equal(wide.ok && wide.text, '{"permission": {"bash": {"*":"ask", "x": "allow"}}}');
});

test('applyRules() notes the change before it is made, and undoRules() restores the bytes', async () => {
  await using directory = await temporaryDirectory();
  const journal = ruleJournal(join(directory.path, 'rules.json'));
  for (const [index, [agent, text, rule]] of texts.entries()) {
    const root = join(directory.path, `p${index}`);
    mkdirSync(root);
    const path = join(root, '.deep', 'settings');
    if (text !== '') {
      mkdirSync(join(root, '.deep'));
      writeFileSync(path, text);
    }
    const plan = await planRules(path, languageOf(agent), { root, added: [rule] });
    assert.ok('after' in plan);

    assert.equal(await applyRules(plan, journal, { at: index, agent }), true);
    assert.equal(readFileSync(path, 'utf8'), plan.after);
    // The file is no longer as it was when this was planned.
    assert.equal(await applyRules(plan, journal, { at: 99, agent }), false);
    const record = journal.read()?.at(-1);
    assert.ok(record?.at === index);
    writeFileSync(path, `${plan.after}\n`);
    assert.equal(await undoRules(record, languageOf(agent)), 'reverted');
    assert.deepEqual(
      rulesIn(readFileSync(path, 'utf8'), languageOf(agent)).filter((one) => one === rule),
      [],
    );
    writeFileSync(path, plan.after);
    assert.equal(await undoRules(record, languageOf(agent)), 'restored');

    if (text === '') assert.equal(existsSync(join(root, '.deep')), false);
    else assert.equal(readFileSync(path, 'utf8'), text);
  }
});

test('planRules() refuses a file that a link puts outside of the project', async () => {
  await using directory = await temporaryDirectory();
  const root = join(directory.path, 'shop');
  mkdirSync(root);
  mkdirSync(join(directory.path, 'elsewhere'));
  symlinkSync(join(directory.path, 'elsewhere'), join(root, '.claude'));
  const path = join(root, '.claude/settings.local.json');

  const plan = await planRules(path, languageOf('claude'), { root, added: ['x'] });

  assert.deepEqual(plan, { problem: 'a link leads out of the project' });
});

test('rulesOf() reads the files of an agent, and managedBy() finds the one of an organization', async () => {
  await using directory = await temporaryDirectory();
  const home = directory.path;
  const root = join(home, 'shop');
  mkdirSync(join(root, '.claude'), { recursive: true });
  writeFileSync(join(root, '.claude/settings.local.json'), '{"permissions":{"allow":["Bash(a)"]}}');
  const language = { ...languageOf('claude'), managed: [join(home, 'managed')] };

  const found = await rulesOf(language, { home, root });

  assert.deepEqual(
    found.map(({ scope, path, rules }) => [scope, path.slice(home.length), rules]),
    [
      ['project', '/shop/.claude/settings.local.json', ['Bash(a)']],
      ['project', '/shop/.claude/settings.json', []],
      ['user', '/.claude/settings.json', []],
    ],
  );
  assert.equal(await managedBy(language), null);
  writeFileSync(join(home, 'managed'), '');
  assert.equal(await managedBy(language), join(home, 'managed'));
});
