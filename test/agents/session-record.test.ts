import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';

import { claudeWitness, sessionRecord } from '../../src/agents/claude/session-record.ts';

/** The record of one session of Claude Code 2.1.332: starting, at its prompt, at work, and in three dialogs. */
const lines = readFileSync(
  new URL('../../../test/fixtures/records/claude-2.1.332.jsonl', import.meta.url),
  'utf8',
)
  .trim()
  .split('\n');

const sessionId = 'b44fc826-9206-4fb7-9e31-305fdd5c1c01';

describe('the recorded states of a session of Claude Code', () => {
  test('claudeWitness.read() says of each what the session does, since when, and what it waits for', () => {
    const read = lines.map((line) => claudeWitness.read('55.json', line));

    assert.deepEqual(
      read.map((one) => one && [one.state, one.since - 1_795_751_400_000, one.waitingFor]),
      [
        null,
        ['idle', 787, null],
        ['working', 3_242, null],
        ['waiting', 13_579, 'permission prompt'],
        ['waiting', 33_951, 'input needed'],
        ['waiting', 973, 'dialog open'],
      ],
    );
    assert.deepEqual(read[3] && { ...read[3], since: 0 }, {
      state: 'waiting',
      since: 0,
      waitingFor: 'permission prompt',
      sessionId,
      cwd: '/home/dev/home/shop',
      pid: 55,
      start: '878064',
      version: '2.1.332',
      surface: 'cli',
    });
    assert.equal(claudeWitness.read('56.json', lines[3] ?? ''), null, 'of another process');
  });

  test('sessionRecord.answeredAt() dates the answer by the state after the dialog', () => {
    const answered = lines.map((line) =>
      sessionRecord.answeredAt(line, { sessionId, openedAt: 1_795_751_402_000 }),
    );

    assert.deepEqual(answered, [null, null, 1_795_751_403_242, null, null, null]);
  });
});

const idle = { sessionId, status: 'idle', statusUpdatedAt: 7.4 };

const read = (fields: object, name = '55.json') =>
  claudeWitness.read(name, JSON.stringify({ ...idle, ...fields }));

describe('claudeWitness', () => {
  test('read() takes a state that is not known for a wait, in the words of the agent', () => {
    const states = ['busy', 'shell', 'waiting', 'brand new', 'constructor'].map((status) => {
      const { state, waitingFor } = read({ status, waitingFor: null }) ?? {};
      return [state, waitingFor];
    });

    assert.deepEqual(states, [
      ['working', null],
      ['idle', null],
      ['waiting', 'waiting'],
      ['waiting', 'brand new'],
      ['waiting', 'constructor'],
    ]);
    assert.equal(read({ status: 'idle', waitingFor: 'dialog open' })?.waitingFor, null);
  });

  test('read() takes what is missing for unknown', () => {
    assert.deepEqual(read({ cwd: 5, kind: 'interactive', pid: 1 }), {
      state: 'idle',
      since: 7,
      waitingFor: null,
      sessionId,
      cwd: null,
      pid: 55,
      start: null,
      version: null,
      surface: null,
    });
  });

  for (const fields of [
    { spare: true },
    { kind: 'daemon-worker' },
    { pid: 56 },
    { sessionId: '' },
    { sessionId: 'x'.repeat(4_097) },
    { statusUpdatedAt: -1 },
  ]) {
    test(`read() takes no session from ${JSON.stringify(fields).slice(0, 30)}`, () => {
      assert.equal(read(fields), null);
    });
  }

  test('read() takes no session from a file of another name', () => {
    for (const name of ['x.json', '55.json.new', '99999999999.json'])
      assert.equal(read({}, name), null, name);
    assert.equal(read({}, '4294967296.json')?.pid, 4_294_967_296);
  });

  test('beginning() is the process of a key beside no record', () => {
    const hash = 'ab12'.repeat(16);

    assert.equal(claudeWitness.beginning(`55.${hash}.key`), 55);
    for (const name of ['55.json', `55.${hash}`, `0.${hash}.key`, '55.ab.key'])
      assert.equal(claudeWitness.beginning(name), null, name);
  });

  test('proof() has the facts by which an event is its own', () => {
    const session = read({}) ?? assert.fail('No session');
    const facts = { claude_pid: '55', claude_code_session_id: sessionId };

    assert.deepEqual(claudeWitness.proof(session), facts);
    assert.deepEqual(claudeWitness.proof({ ...session, surface: 'cli' }), {
      ...facts,
      claude_code_entrypoint: 'cli',
    });
  });
});

const transcriptPath = '/home/dev/.claude/projects/-home-dev-shop/s1.jsonl';
const pathOf = (fields: object, pid: number | null = 55) =>
  sessionRecord.pathOf({ machine: null, transcriptPath, ...fields }, pid);

describe('sessionRecord', () => {
  test('pathOf() is beside the transcripts of this machine', () => {
    assert.equal(pathOf({}), '/home/dev/.claude/sessions/55.json');
    assert.equal(pathOf({}, null), null);
    assert.equal(pathOf({ machine: 'build-7' }), null);
    assert.equal(pathOf({ transcriptPath: null }), null);
    assert.equal(pathOf({ transcriptPath: '/home/dev/elsewhere/shop/s1.jsonl' }), null);
  });

  test('answeredAt() believes neither the record of another session nor an older state', () => {
    const answered = (fields: object, openedAt: number) =>
      sessionRecord.answeredAt(JSON.stringify({ ...idle, ...fields }), { sessionId, openedAt });

    assert.equal(answered({}, 7.3), 7.4);
    assert.equal(answered({}, 7.4), null);
    assert.equal(answered({ status: 'waiting' }, 7), null);
    assert.equal(answered({ sessionId: 'another' }, 7), null);
    assert.equal(sessionRecord.answeredAt('{"half', { sessionId, openedAt: 7 }), null);
  });
});
