import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { requestHash } from '../../src/agents/support/request.ts';
import { until } from '../support/hookbell-home.ts';
import { answer, askedHash, openDesk } from '../support/open-desk.ts';
import { sampleEvent } from '../support/sample.ts';
import { needs } from '../support/system-part.ts';

const ALLOWED =
  '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}';

describe('the question desk', { skip: needs('mkfifo'), timeout: 60_000 }, () => {
  test('passes the first answer to the hook, records it, and reports to the second who was first', async () => {
    await using place = await openDesk();
    const { id, fifo, read } = await place.ask();
    const [shown] = place.desk.shown();
    assert.equal(shown?.text, 'Bash\n  command: touch x');
    assert.equal(existsSync(join(place.asks, fifo)), false, 'the name of the FIFO is still there');

    const [first, second] = await Promise.all([
      place.desk.answer(id, answer()),
      place.desk.answer(id, answer({ choice: 'deny' })),
    ]);
    const third = await place.desk.answer(id, answer({ choice: 'deny' }));

    assert.deepEqual(first, { ok: true });
    assert.equal(second.ok, false);
    assert.ok(!third.ok);
    assert.match(third.reason, /^Allowed at \d\d:\d\d by ada/);
    assert.equal(await read, `answer ${fifo} ${ALLOWED}\n`);
    const { state, answer: kept, requestHash: keptHash } = (await place.stored(id)) ?? {};
    assert.deepEqual(
      { state, kept, keptHash },
      {
        state: 'answered',
        kept: { choice: 'allow', by: 'ada', via: 'command line', at: place.world.now },
        keptHash: askedHash,
      },
    );
  });

  test('confirms an answer by the event that follows it', async () => {
    await using place = await openDesk();
    const { id, record } = await place.ask();
    await place.desk.answer(id, answer());

    const ran = sampleEvent({
      kind: 'tool.done',
      call: { agentId: null, tool: 'Bash', hash: 'call' },
    });
    place.desk.take([{ event: { ...ran, at: record.event.at + 5 }, payload: Buffer.from('{}') }]);

    await until(async () => (await place.stored(id))?.state === 'confirmed');
    assert.deepEqual(place.desk.shown(), []);
  });

  test('lets the hook go when the terminal was first, also while an answer is being recorded', async () => {
    await using place = await openDesk();
    const { id, read, record } = await place.ask();
    const ran = sampleEvent({
      kind: 'tool.done',
      call: { agentId: null, tool: 'Bash', hash: 'call' },
    });

    const sent = place.desk.answer(id, answer({ choice: 'deny' }));
    place.desk.take([{ event: { ...ran, at: record.event.at + 5 }, payload: Buffer.from('{}') }]);

    const outcome = await sent;
    assert.ok(!outcome.ok);
    assert.match(outcome.reason, /^Answered in the terminal at/);
    assert.equal(await read, '\n');
    assert.equal((await place.stored(id))?.state, 'overtaken');
  });

  test('an allow after a yes in the terminal is refused, though the agent reports that yes only when the call has ended', async () => {
    await using place = await openDesk();
    const { id, read, record } = await place.ask({
      sessionId: 's',
      transcriptPath: '/home/dev/.claude/projects/shop/s.jsonl',
    });
    const pressedAt = record.event.at + 60_000;
    const status = { sessionId: 's', status: 'busy', statusUpdatedAt: pressedAt };
    place.world.record = JSON.stringify(status);

    const late = await place.desk.answer(id, answer());
    const later = await place.desk.answer(id, answer());

    for (const outcome of [late, later]) {
      assert.ok(!outcome.ok);
      assert.match(outcome.reason, /^Answered in the terminal at \d\d:\d\d$/);
    }
    assert.equal(await read, '\n');
    const { state, reason, closedAt } = (await place.stored(id)) ?? {};
    assert.deepEqual(
      { state, reason, closedAt },
      { state: 'released', reason: 'Answered in the terminal', closedAt: pressedAt },
    );
  });

  const unclear: Readonly<Record<string, object>> = {
    'shows an open prompt': { status: 'waiting', statusUpdatedAt: 9e15 },
    'is older than the request': { status: 'busy', statusUpdatedAt: 1 },
    'is of another session': { sessionId: 'other', status: 'busy', statusUpdatedAt: 9e15 },
    'has no status': {},
  };
  for (const [name, fields] of Object.entries(unclear)) {
    test(`answers while the record of the session ${name}`, async () => {
      await using place = await openDesk();
      const { id, fifo, read } = await place.ask({
        sessionId: 's',
        transcriptPath: '/home/dev/.claude/projects/shop/s.jsonl',
      });
      place.world.record = JSON.stringify({ sessionId: 's', ...fields });

      assert.deepEqual(await place.desk.answer(id, answer()), { ok: true });
      assert.equal(await read, `answer ${fifo} ${ALLOWED}\n`);
    });
  }

  test('of two equal calls the one that was allowed is confirmed, and the other keeps waiting', async () => {
    await using place = await openDesk();
    const first = await place.ask();
    const second = await place.ask();
    await place.desk.answer(second.id, answer());

    const call = { agentId: null, tool: 'Bash', hash: 'call' };
    const ran = sampleEvent({ kind: 'tool.done', call });
    place.desk.take([
      { event: { ...ran, at: second.record.event.at + 5 }, payload: Buffer.from('{}') },
    ]);

    await until(async () => (await place.stored(second.id))?.state === 'confirmed');
    assert.deepEqual(
      place.desk.shown().map(({ question }) => question.id),
      [first.id],
    );
  });

  test('of two equal calls that the terminal allows each result lets one hook go, the oldest first', async () => {
    await using place = await openDesk();
    const first = await place.ask();
    const second = await place.ask();
    const call = { agentId: null, tool: 'Bash', hash: 'call' };
    const ran = sampleEvent({ kind: 'tool.done', call });
    const heldIds = () => place.desk.shown().map(({ question }) => question.id);

    for (const [index, left] of [[second.id], []].entries()) {
      const at = second.record.event.at + 5 + index;
      place.desk.take([{ event: { ...ran, at }, payload: Buffer.from('{}') }]);
      assert.deepEqual(heldIds(), left);
    }
    assert.deepEqual([await first.read, await second.read], ['\n', '\n']);
  });

  test('a result lets only the hook of its call go: not that of another input, or of a subagent', async () => {
    await using place = await openDesk();
    const asked = await place.ask();
    const other = await place.ask({ call: { agentId: null, tool: 'Bash', hash: 'other' } });
    place.world.here = false;
    const subagent = await place.ask({
      subagent: true,
      call: { agentId: 'a', tool: 'Bash', hash: 'call' },
    });
    await until(() => place.desk.shown().length === 3);

    const call = { agentId: null, tool: 'Bash', hash: 'call' };
    const at = subagent.record.event.at + 5;
    const event = sampleEvent({ kind: 'tool.done', call, at });
    place.desk.take([{ event, payload: Buffer.from('{}') }]);

    const left = place.desk.shown().map(({ question }) => question.id);
    assert.equal(await asked.read, '\n');
    assert.deepEqual(left, [other.id, subagent.id]);
    // The transcript of the main conversation shows nothing about its subagents.
    place.desk.answeredElsewhere(event.sessionKey);
    assert.deepEqual(
      place.desk.shown().map(({ question }) => question.id),
      [subagent.id],
    );
  });

  test('an answer to an earlier request does not reach a newer one of the same session', async () => {
    await using place = await openDesk();
    const first = await place.ask();
    const other = { tool_name: 'Bash', tool_input: { command: 'rm -rf /' } };
    const second = await place.ask(
      {
        waits: {
          fifo: '00000000-0000-0000-0000-000000000002',
          pid: 9,
          start: '1',
          requestHash: requestHash('Bash', other.tool_input, undefined),
        },
      },
      other,
    );

    const outcome = await place.desk.answer(second.id, answer());

    assert.deepEqual(outcome, { ok: false, reason: 'The agent asks for something else now' });
    assert.deepEqual(await place.desk.answer(first.id, answer()), { ok: true });
    assert.equal(await first.read, `answer ${first.fifo} ${ALLOWED}\n`);
  });

  test('what was redacted can be denied and not allowed', async () => {
    await using place = await openDesk();
    const redacted = { tool_name: 'Bash', tool_input: { command: 'touch [redacted:x]' } };
    const { id, fifo, read } = await place.ask({}, redacted);

    assert.equal(place.desk.shown()[0]?.text, null);
    const allowed = await place.desk.answer(id, answer());
    const denied = await place.desk.answer(id, answer({ choice: 'deny', words: 'Use "y"' }));

    assert.equal(allowed.ok, false);
    assert.deepEqual(denied, { ok: true });
    const line = await read;
    assert.ok(line.startsWith(`answer ${fifo} {`));
    assert.ok(line.includes(String.raw`"message":"Use \"y\""`));
    assert.equal(JSON.stringify(await place.stored(id)).includes('Use'), false);
  });

  test('an agent whose prompt waits for the hook is held only while the person is away', async () => {
    await using place = await openDesk();
    for (const here of [null, true]) {
      place.world.here = here;
      const { read } = await place.ask({ agent: 'codex', sessionKey: 'codex:s' });
      assert.equal(await read, '\n', `held with presence ${here}`);
    }
    place.world.here = false;
    const held = await place.ask({ agent: 'codex', sessionKey: 'codex:s' });
    await until(() => place.desk.shown().length === 1);

    place.world.here = true;

    assert.equal(await held.read, '\n');
    assert.equal((await place.stored(held.id))?.reason, 'You are back at this machine');
  });

  test('a denial in the terminal is recorded as one, also if the transcript shows it before', async () => {
    await using place = await openDesk();
    const { id, pid, fifo, record } = await place.ask({ at: place.world.now }, undefined, true);
    writeFileSync(join(place.asks, `${fifo}.ended`), '');
    place.world.gone.add(pid);

    place.desk.answeredElsewhere(record.event.sessionKey);
    await until(() => {
      place.world.now += 100;
      return place.desk.shown().length === 0;
    });

    await until(async () => (await place.stored(id))?.state === 'released');
    assert.equal((await place.stored(id))?.reason, 'Denied in the terminal');
  });

  const ends: Readonly<Record<string, readonly [boolean, boolean, string]>> = {
    'a hook that the agent stopped, which lives on': [true, false, 'Denied in the terminal'],
    'a hook that was killed': [false, false, 'Its hook ended'],
    'an agent that ended with its hook': [true, true, 'The agent ended'],
  };
  for (const [name, [isNoted, agentGone, reason]] of Object.entries(ends)) {
    test(`notices ${name}`, async () => {
      await using place = await openDesk();
      const { id, pid, fifo, record } = await place.ask({ at: place.world.now }, undefined, true);
      if (isNoted) writeFileSync(join(place.asks, `${fifo}.ended`), '');

      place.world.gone.add(pid);
      if (agentGone) place.world.gone.add(77);
      await until(() => {
        place.world.now += 100;
        return place.desk.shown().length === 0;
      });

      await until(async () => (await place.stored(id))?.state === 'released');
      assert.equal((await place.stored(id))?.reason, reason);
      // A denial has no event by which the alert would be resolved.
      const alerts = () => place.store.alerts.liveOf([record.event.sessionKey]);
      if (isNoted && !agentGone) await until(async () => (await alerts()).length === 0);
      else assert.equal((await alerts()).length, 1);
      assert.equal(existsSync(join(place.asks, `${fifo}.ended`)), false);
    });
  }

  test('lets the hook go at the deadline, and when the daemon stops', async () => {
    await using place = await openDesk();
    const late = await place.ask();
    place.world.now += 3_600_000;
    assert.equal(await late.read, '\n');
    const last = await place.ask();

    await place.desk.stop();

    assert.equal(await last.read, '\n');
    assert.equal((await place.stored(last.id))?.reason, 'The daemon stopped');
  });

  test('requests of other machines and of agents without answers are let go', async () => {
    await using place = await openDesk();
    place.world.here = false;

    const far = await place.ask({ machine: 'devbox' });
    const gemini = await place.ask({ agent: 'gemini', sessionKey: 'gemini:s' });

    assert.equal(await far.read, '\n');
    assert.equal(await gemini.read, '\n');
  });
});
