import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { hostIn, withHost } from '../../src/daemon/find-host.ts';
import { factsAfter } from '../../src/core/agent/witness.ts';
import { sampleRecord } from '../support/store.ts';

const line = (...words: readonly string[]) => words.map((one) => ({ words: one.split(' ') }));

describe('hostIn()', () => {
  for (const [what, processes, host] of [
    [
      'Zed, above the adapter',
      line('claude --output-format stream-json', 'node /x/bin/claude-agent-acp', '/usr/bin/zed'),
      'Zed',
    ],
    [
      'an editor of JetBrains',
      line('node /x/gemini --experimental-acp', '/opt/idea/bin/idea64 .', 'systemd'),
      'a JetBrains editor',
    ],
    ['one that is not known', line('node /x/codex-acp.js', 'sh /x/my-editor'), 'an editor'],
    ['none in a terminal of an editor', line('claude', 'bash', '/usr/bin/zed'), null],
  ] as const) {
    test(`names the host: ${what}`, () => {
      assert.equal(hostIn(processes), host);
    });
  }
});

const lineOf = async () => line('claude', 'node /x/claude-agent-acp', 'zed');

test('withHost() adds the host when a turn begins, and the session keeps it', async () => {
  const facts = { ppid: '7', host: 'planted' };
  const begun = sampleRecord({ kind: 'prompt', facts: { ppid: '7' } });
  const relayed = sampleRecord({ kind: 'prompt', machine: 'vm', facts });

  const { event } = await withHost(begun, lineOf);

  assert.equal(event.facts.host, 'Zed');
  assert.equal(factsAfter(event.facts, { ppid: '7' }).host, 'Zed');
  assert.equal(await withHost(relayed, lineOf), relayed);
  const other = sampleRecord({ kind: 'tool.done', facts: { ppid: '7' } });
  assert.equal(await withHost(other, lineOf), other);
});
