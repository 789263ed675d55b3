import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { Command } from 'commander';

import { loadCommands } from '../../../src/cli/commands/registry.ts';
import { propose } from '../../../src/cli/completion/propose.ts';

const program = new Command('hookbell')
  .option('--json', 'as JSON')
  .configureHelp({ showGlobalOptions: true });
for (const define of await loadCommands([])) define(program, () => () => Promise.resolve());

/** The proposals in one line: values, then where more come from. */
function proposed(...words: readonly string[]): string {
  const { words: found, source, before, begun } = propose(program, words);
  const values = found.map(({ value }) => value).filter((value) => value.startsWith(begun));
  return [
    ...values.map((value) => before + value),
    ...(source === null ? [] : [`<${source}>`]),
  ].join(' ');
}

describe('propose()', () => {
  test('proposes the commands, without those that are hidden', () => {
    assert.equal(proposed('un'), 'uninstall');
    assert.match(proposed(''), /^sessions ack .* remote hub join service$/);
    assert.doesNotMatch(proposed('comp'), /complete\b/);
  });

  for (const { words, wanted } of [
    { words: ['queue', ''], wanted: 'list retry drop' },
    { words: ['init', '--channel', 'de'], wanted: 'desktop' },
    { words: ['init', '--existing', ''], wanted: 'keep backup stop' },
    { words: ['queue', 'retry', ''], wanted: '<deliveries>' },
    { words: ['queue', 'retry', 'a', ''], wanted: '<deliveries>' },
    { words: ['mute', 'off', ''], wanted: '<mutes>' },
    { words: ['service', 'us'], wanted: 'users usage' },
    { words: ['ack', ''], wanted: '<sessions>' },
    { words: ['ack', 'one', ''], wanted: '' },
    { words: ['mute', '--s'], wanted: '--session' },
    { words: ['mute', '--js'], wanted: '--json' },
    { words: ['mute', '--channel', ''], wanted: '<channels>' },
    { words: ['mute', '--channel', 'x', '--k'], wanted: '--kind' },
    { words: ['mute', '--kind', 'needs.'], wanted: 'needs.permission needs.input' },
    { words: ['mute', '--kind=needs.p'], wanted: '--kind=needs.permission' },
    { words: ['mute', '--kind', '=', 'needs.p'], wanted: 'needs.permission' },
    { words: ['mute', '--kind', '='], wanted: /^session\.start .* digest$/ },
    { words: ['--json', 'queue', 'l'], wanted: 'list' },
    { words: ['sessions', '--state', 'w'], wanted: 'working waiting' },
    { words: ['route', 'test', '--event', ''], wanted: '<files>' },
    { words: ['project', 'trust', ''], wanted: '<directories>' },
    { words: ['ack', '--', '--a'], wanted: '<sessions>' },
    { words: ['nonsense', ''], wanted: '' },
    { words: [], wanted: /^sessions / },
  ]) {
    test(`proposes for "${words.join(' ')}"`, () => {
      const found = proposed(...words);

      if (typeof wanted === 'string') assert.equal(found, wanted);
      else assert.match(found, wanted);
    });
  }
});
