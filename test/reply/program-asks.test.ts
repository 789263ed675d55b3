import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import type { HookRecord } from '../../src/core/hook-event.ts';
import type { ProgramAsk } from '../../src/core/question.ts';
import { silentLog } from '../../src/platform/log.ts';
import type { HeldHook } from '../../src/reply/held-hooks.ts';
import { createProgramAsks } from '../../src/reply/program-asks.ts';
import { sampleShownQuestion } from '../support/sample-views.ts';
import { decideNothing } from '../support/store.ts';

const HOUR_MS = 3_600_000;

// The timers of questions keep no process alive.
let running: NodeJS.Timeout;
before(() => void (running = setInterval(() => {}, HOUR_MS)));
after(() => clearInterval(running));

function wanted(id: string, fields: Partial<ProgramAsk> = {}): ProgramAsk {
  return {
    id,
    again: false,
    session: 'mcp-0123abcd',
    host: 'claude',
    cwd: '/w',
    pid: process.pid,
    question: 'Which?',
    options: ['A', 'B'],
    forMs: 60_000,
    waitMs: 0,
    ...fields,
  };
}

const answered = (answer: string): string =>
  JSON.stringify({
    hookSpecificOutput: { decision: { updatedInput: { answers: { 'Which?': answer } } } },
  });

/** Questions whose store takes everything unless `broken` says otherwise. */
function openAsks(mostOpen = 1) {
  const records: HookRecord[] = [];
  const hooks = new Map<string, HeldHook>();
  const world = { now: 1_000_000, broken: false, reason: null as string | null };
  let ids = 0;
  const asks = createProgramAsks({
    store: {
      events: {
        accept: async (accepted) => {
          if (world.broken) throw new Error('The disk is full');
          records.push(...accepted);
          return accepted.map(() => 'committed');
        },
      },
    },
    questions: {
      take: () => undefined,
      ended: () =>
        world.reason === null ? null : sampleShownQuestion({ reason: world.reason }).question,
    },
    hooks,
    decide: decideNothing,
    prepare: (record) => record,
    onCommitted: () => undefined,
    mostOpen: () => mostOpen,
    now: () => world.now,
    newId: () => `id-${(ids += 1)}`,
    log: silentLog,
  });
  const ask = (id: string, fields: Partial<ProgramAsk> = {}) => asks.ask(wanted(id, fields));
  const hook = (id = 'id-1') => hooks.get(id) ?? assert.fail(`No hook ${id}`);
  return { asks, ask, hook, records, world };
}

describe('createProgramAsks()', () => {
  test('makes an event of a question, whose hook is here', async () => {
    const { ask, records } = openAsks();

    assert.deepEqual(await ask('q'), { state: 'open', answer: null, reason: null });

    const [record, ...others] = records;
    assert.deepEqual(others, []);
    const { id, kind, waits, facts, asked, at } = record?.event ?? {};
    assert.deepEqual([id, kind, at], ['id-1', 'needs.input', 1_000_000]);
    assert.deepEqual([waits?.fifo, waits?.pid, waits?.forMs], ['id-1', process.pid, 60_000]);
    assert.deepEqual(facts, { agent: 'claude', ppid: String(process.pid) });
    assert.deepEqual([asked?.text, asked?.options], ['Which?', ['A', 'B']]);
  });

  test('waits with this process for one of a container, and names no host that it does not know', async () => {
    const { ask, records } = openAsks();

    await ask('q', { pid: 4_194_999, host: null });

    assert.deepEqual(records[0]?.event.facts, {});
    assert.equal(records[0]?.event.waits?.pid, process.pid);
  });

  test('gives an answer once it is there, and again to a program that asks again', async () => {
    const { ask, hook, records } = openAsks();
    const waits = ask('q', { waitMs: 60_000 });
    await ask('q');
    assert.equal(hook().hasPrinted(), false);

    assert.equal(hook().answer(answered('B')), true);

    const given = { state: 'answered', answer: 'B', reason: null };
    assert.deepEqual(await waits, given);
    assert.equal(hook().hasPrinted(), true);
    assert.deepEqual(await ask('q', { again: true }), given);
    const [, end, ...others] = records;
    assert.deepEqual(
      [end?.event.kind, end?.event.tookAnswer, others.length],
      ['session.end', true, 0],
    );
    assert.equal((await ask('q')).state, 'open', 'a new question of the same name');
  });

  test('gives the words of a refusal', async () => {
    const { ask, hook } = openAsks();
    await ask('q');

    hook().answer('{"hookSpecificOutput":{"decision":{"message":"No"}}}');

    assert.deepEqual(await ask('q'), { state: 'declined', answer: null, reason: 'No' });
    const another = openAsks();
    await another.ask('q');
    another.hook().answer('{"hookSpecificOutput":{"decision":{}}}');
    assert.equal((await another.ask('q')).reason, null);
  });

  test('ends a question that is let go without an answer, and says why', async () => {
    const { ask, hook, records, world } = openAsks();
    const waits = ask('q', { waitMs: 60_000 });
    await ask('q');
    world.reason = 'No one answered in time';

    hook().letGo();
    hook().letGo();

    assert.deepEqual(await waits, { state: 'over', answer: null, reason: world.reason });
    assert.deepEqual(
      records.map(({ event }) => [event.kind, event.tookAnswer]),
      [
        ['needs.input', undefined],
        ['session.end', undefined],
      ],
    );
  });

  test('keeps an answer that was given before the hook is let go', async () => {
    const { ask, hook } = openAsks();
    await ask('q');
    hook().answer(answered('A'));

    hook().letGo();

    assert.equal((await ask('q')).answer, 'A');
  });

  test('takes a question back, once', async () => {
    const { ask, asks } = openAsks();
    await ask('q');

    assert.deepEqual(
      [asks.withdraw('q'), asks.withdraw('q'), asks.withdraw('x')],
      [true, false, false],
    );
  });

  test('forgets a question that could not be stored', async () => {
    const { ask, world } = openAsks();
    world.broken = true;
    await assert.rejects(ask('q'), /The disk is full/);

    world.broken = false;
    assert.equal((await ask('r')).state, 'open');
  });
});

describe('createProgramAsks() refuses', () => {
  test('a further question of a session, while one has no answer', async () => {
    const { ask, hook } = openAsks();
    await ask('q');

    assert.equal((await ask('r')).state, 'refused');
    assert.equal((await ask('r', { session: 'mcp-ffffffff' })).state, 'open', 'of another session');
    hook().answer(answered('A'));
    assert.equal((await ask('s')).state, 'open');
  });

  test('a ninth question of all sessions', async () => {
    const { ask } = openAsks(99);
    for (let count = 1; count <= 8; count += 1)
      assert.equal((await ask(`q${count}`)).state, 'open');

    assert.equal((await ask('q9')).state, 'refused');
  });

  test('more than thirty questions within an hour', async () => {
    const { ask, asks, world } = openAsks();
    for (let count = 1; count <= 30; count += 1) {
      assert.equal((await ask(`q${count}`)).state, 'open');
      asks.withdraw(`q${count}`);
    }

    world.now += HOUR_MS - 1;
    assert.equal((await ask('late')).state, 'refused');
    world.now += 1;
    assert.equal((await ask('later')).state, 'open');
  });
});
