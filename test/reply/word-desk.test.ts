import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { HookEvent } from '../../src/core/hook-event.ts';
import { createWordDesk } from '../../src/reply/word-desk.ts';
import { sampleEvent } from '../support/sample.ts';
import { until } from '../support/until.ts';

const quiet = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, fatal() {} };
const TRANSCRIPT = '/home/dev/.claude/projects/shop/s.jsonl';
const NOW = 1_700_000_000_000;

/** A desk whose hooks, presence and transcripts are those of the test. */
function openDesk() {
  const world = { here: false as boolean | null, gone: new Set<number>(), transcript: '' };
  const hooks: { line: string | null; isOver: boolean }[] = [];
  const desk = createWordDesk({
    paths: { asks: '/nowhere' },
    uid: null,
    presence: { isPresent: () => Promise.resolve(world.here) },
    readTail: (path) => Promise.resolve(path === TRANSCRIPT ? world.transcript : null),
    takeHook() {
      const hook = { line: null as string | null, isOver: false };
      hooks.push(hook);
      return {
        answer(line) {
          if (hook.isOver) return false;
          Object.assign(hook, { line, isOver: true });
          return true;
        },
        hasPrinted: () => hook.line !== null,
        stoppedAt: () => null,
        letGo: () => void (hook.isOver = true),
      };
    },
    isRunning: (pid) => !world.gone.has(pid),
    now: () => NOW,
    log: quiet,
    proofMs: 300,
  });

  /** The end of a turn whose hook waits. */
  function rest(fields: Partial<HookEvent> = {}) {
    const event = sampleEvent({
      agent: 'claude',
      sessionKey: 'claude:s',
      kind: 'turn.done',
      event: 'Stop',
      at: NOW,
      transcriptPath: TRANSCRIPT,
      facts: { claude_pid: '77' },
      waits: { fifo: 'f', pid: 1_001, start: '1', requestHash: '' },
      ...fields,
    });
    desk.take([{ event, payload: Buffer.from('{}') }]);
    return hooks.at(-1);
  }

  const see = (fields: Partial<HookEvent>): void => {
    const event = sampleEvent({ agent: 'claude', sessionKey: 'claude:s', at: NOW, ...fields });
    desk.take([{ event, payload: Buffer.from('{}') }]);
  };
  return { desk, world, hooks, rest, see, [Symbol.dispose]: () => desk.stop() };
}

function feedback(text: string): string {
  return JSON.stringify({
    type: 'user',
    isMeta: true,
    timestamp: new Date(NOW + 1).toISOString(),
    message: { role: 'user', content: `Stop hook feedback:\n${text}` },
  });
}

/** What the model, or Claude Code in its name, has written after that. */
function said(fields: object = {}): string {
  return JSON.stringify({
    type: 'assistant',
    isSidechain: false,
    timestamp: new Date(NOW + 2).toISOString(),
    message: { role: 'assistant', content: [{ type: 'text', text: 'Stop hook feedback' }] },
    ...fields,
  });
}

describe('words to a session at rest', () => {
  test('reach the hook of Claude Code, and are confirmed by exactly them in its transcript', async () => {
    using place = openDesk();
    const hook = place.rest();
    place.world.transcript = `half\n${feedback('Go "on"')}\n${said()}\n`;

    assert.deepEqual(await place.desk.send('claude:s', 'Go "on"'), { state: 'confirmed' });
    assert.equal(hook?.line, '{"decision":"block","reason":"Go \\"on\\""}');
    place.rest();
    assert.deepEqual(await place.desk.send('claude:s', 'Go'), { state: 'sent' });
    const late = await place.desk.send('claude:s', 'Go');
    assert.deepEqual(late, { state: 'refused', reason: 'it is not waiting for words' });
  });

  test('are refused beyond 60 KB as the agent gets them, and not at it', async () => {
    using place = openDesk();
    const around = Buffer.byteLength('{"decision":"block","reason":""}');
    place.rest();

    const refused = await place.desk.send('claude:s', 'x'.repeat(60_001 - around));
    assert.deepEqual(refused, { state: 'refused', reason: 'the text is longer than 60 KB' });
    const taken = await place.desk.send('claude:s', 'x'.repeat(60_000 - around));
    assert.deepEqual(taken, { state: 'sent' });
  });

  test('wait only while the person is away: presence, a prompt and a new turn let the hook go', async () => {
    using place = openDesk();
    for (const here of [true, null]) {
      place.world.here = here;
      const hook = place.rest();
      await until(() => hook?.isOver === true);
    }
    place.world.here = false;
    const back = place.rest();
    place.world.here = true;
    await until(() => back?.isOver === true);
    place.world.here = false;
    const typed = place.rest();
    place.see({ kind: 'prompt' });
    const [first, second] = [place.rest(), place.rest()];

    assert.deepEqual([typed?.isOver, first?.isOver, second?.isOver], [true, true, false]);
    assert.ok(place.hooks.every(({ line }) => line === null));
    place.desk.stop();
    assert.equal(second?.isOver, true);
  });

  test('are not waited for in a run without a terminal, a subagent, or another agent', () => {
    using place = openDesk();
    for (const fields of [
      { attended: false },
      { subagent: true },
      { machine: 'other' },
      { agent: 'codex' as const },
      { kind: 'activity' as const },
    ]) {
      assert.equal(place.rest(fields)?.isOver, true, JSON.stringify(fields));
    }
  });

  test('are not sent to an agent or a hook that is gone', async () => {
    using place = openDesk();
    for (const pid of [77, 1_001]) {
      const hook = place.rest();
      place.world.gone = new Set([pid]);
      await until(() => hook?.isOver === true);
      place.world.gone.clear();
    }
    assert.equal((await place.desk.send('claude:s', 'Go')).state, 'refused');
  });

  test('reach OpenCode while the person is here, and are confirmed by its plugin', async () => {
    using place = openDesk();
    place.world.here = true;
    const own = { agent: 'opencode', sessionKey: 'opencode:s', event: 'session.idle' } as const;
    const hook = place.rest(own);

    const sent = place.desk.send('opencode:s', 'Go on');
    place.see({ ...own, kind: 'prompt' });
    place.see({ ...own, kind: 'prompt', tookAnswer: true });

    assert.deepEqual(await sent, { state: 'confirmed' });
    assert.equal(hook?.line, '{"prompt":"Go on"}');
    place.rest(own);
    assert.deepEqual(await place.desk.send('opencode:s', 'Go on'), { state: 'sent' });
  });

  test('are refused if they do not fit through a pipe', async () => {
    using place = openDesk();
    const hook = place.rest();

    const { state } = await place.desk.send('claude:s', 'x'.repeat(60_000));

    assert.deepEqual([state, hook?.isOver], ['refused', false]);
  });
});
