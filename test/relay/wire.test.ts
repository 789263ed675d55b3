import assert from 'node:assert/strict';
import { test } from 'node:test';

import { factKeys } from '../../src/core/facts.ts';
import { makeToken, readToken } from '../../src/relay/token.ts';
import { batchOf, factsToRelay, type RelayedEvent } from '../../src/relay/wire.ts';
import { sampleRecord } from '../support/store.ts';

test('factsToRelay() keeps what identifies the agent, and nothing that names a process, a terminal or a window', () => {
  const all = Object.fromEntries(factKeys.map((key) => [key, '1']));

  const kept = Object.keys(factsToRelay({ ...all, made_up: '1' }));

  assert.deepEqual(kept.toSorted(), [
    'agent',
    'ai_agent',
    'augment_conversation_id',
    'claude_code_entrypoint',
    'claude_code_session_attended',
    'claude_code_session_id',
    'claude_project_dir',
    'claudecode',
    'droid_project_dir',
    'event',
    'factory_project_dir',
    'gemini_project_dir',
    'grok_hook_event',
    'grok_session_id',
    'qwen_project_dir',
    'vscode',
  ]);
});

test('factsToRelay() leaves out values no hook would send', () => {
  const hostile = { agent: 'droid', event: 'a\nb', claudecode: 'x'.repeat(2_000), ai_agent: '' };

  assert.deepEqual(factsToRelay(hostile), { agent: 'droid' });
});

test('batchOf() says of an event what it was made from, and where it came from stays here', () => {
  const record = sampleRecord(
    { id: 'event-a', facts: { agent: 'droid', pid: '42', tty: '/dev/pts/3' }, cwd: '/secret' },
    '{"hook_event_name":"Stop"}',
  );

  const { events } = JSON.parse(batchOf([record]));

  assert.deepEqual(events, [
    {
      id: 'event-a',
      at: record.event.at,
      facts: { agent: 'droid' },
      payload: Buffer.from('{"hook_event_name":"Stop"}').toString('base64'),
    },
  ]);
});

test('batchOf() says which requests are held for an answer', () => {
  const records = ['event-a', 'event-b'].map((id) => sampleRecord({ id }, '{}'));

  const { events } = JSON.parse(batchOf(records, (id) => id === 'event-b'));

  assert.deepEqual(
    events.map(({ id, held }: RelayedEvent) => [id, held]),
    [
      ['event-a', undefined],
      ['event-b', true],
    ],
  );
});

test('readToken() takes back what makeToken() has made, with the blanks of a terminal, and nothing else', () => {
  const token = makeToken('dev-box_1', new Uint8Array(32).fill(255));
  const read = readToken(` ${token}\r\n`);

  assert.equal(read?.machine, 'dev-box_1');
  assert.match(read.key, /^[0-9a-f]{64}$/);
  assert.ok(!token.includes(read.key));
  for (const wrong of [
    '',
    'devbox',
    token.slice(0, -1),
    `${token}x`,
    token.replace('dev', 'a.b'),
  ]) {
    assert.equal(readToken(wrong), null, wrong);
  }
});

test('readToken() gives the same secret another key on another machine: a name cannot be exchanged', () => {
  const secret = new Uint8Array(32).fill(1);

  assert.notEqual(readToken(makeToken('a', secret))?.key, readToken(makeToken('b', secret))?.key);
});
