import assert from 'node:assert/strict';
import test from 'node:test';

import type { Question } from '../../../src/core/question.ts';
import { openServerStore } from '../../../src/store/postgres/open-server-store.ts';
import { needsPostgres, startPostgres } from '../../support/postgres.ts';
import { decideNothing, NOW, sampleRecord } from '../../support/store.ts';

const skip = needsPostgres();

function held(id: string): Question {
  return {
    id,
    sessionKey: 'claude:s1',
    agent: 'claude',
    agentId: null,
    tool: 'Bash',
    requestHash: 'hash',
    callHash: null,
    hold: 'open',
    choices: ['allow', 'deny'],
    state: 'held',
    openedAt: NOW,
    deadline: NOW + 60_000,
    answer: null,
    closedAt: null,
    reason: null,
  };
}

test(
  'a process releases its own questions and those of processes that are gone, and no others',
  { skip },
  async () => {
    await using postgres = await startPostgres();
    const open = () => openServerStore({ url: postgres.url, now: () => NOW });
    const [one, other, gone] = await Promise.all([open(), open(), open()]);
    const stores = { one: one.store, other: other.store, gone: gone.store };
    for (const [id, { events, questions }] of Object.entries(stores)) {
      await events.accept([sampleRecord({ id })], decideNothing);
      await questions.add(held(id));
    }
    const stateOf = async (id: string) =>
      (await stores.one.questions.latest(10)).find((question) => question.id === id)?.state;

    const atStop = await stores.other.questions.release('The daemon stopped', NOW);
    assert.equal(atStop, 1);
    assert.deepEqual(
      [await stateOf('one'), await stateOf('other'), await stateOf('gone')],
      ['held', 'released', 'held'],
    );
    await stores.gone.close();
    const atStart = await stores.other.questions.release('The daemon ended', NOW);

    assert.equal(atStart, 1);
    assert.deepEqual([await stateOf('one'), await stateOf('gone')], ['held', 'released']);
    await Promise.all([stores.one.close(), stores.other.close()]);
  },
);
