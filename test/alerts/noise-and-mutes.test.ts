import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { Policy } from '../../src/core/policy.ts';
import { decodedEvent } from '../support/decoded.ts';
import { escalating, samplePolicy } from '../support/decisions.ts';
import { START, failure, permission, timeline, toolDone } from '../support/timeline.ts';

describe('noise', () => {
  const bursty: Policy = {
    ...escalating,
    noise: { ...samplePolicy.noise, burst: { atOnce: 2, windowMs: 30_000 } },
  };

  test('the first of a burst notify immediately, the rest in one message when the window is over', async () => {
    await using line = await timeline(bursty);
    const { at, want, wantNone } = line;

    for (let number = 0; number < 14; number += 1) await at(number, failure(`s${number}`));

    await want(0, 0, 'desktop');
    await want(1, 1, 'desktop');
    await wantNone(2, 29, 'desktop');
    assert.equal((await want(30, 60, 'desktop')).also.length, 11);
  });

  test('requests are not held behind news, those of three sessions not behind each other, and the rest is one message', async () => {
    const noise = { ...samplePolicy.noise, burst: { atOnce: 1, windowMs: 5_000 } };
    await using line = await timeline({ ...escalating, noise });
    const { at, sent, simulation } = line;

    await at(0, failure('s0'));
    await at(0.5, failure('s9'));
    for (const number of [1, 2, 3, 3.5, 4]) await at(number, permission('x', `s${number}`));
    await simulation.advanceTo(START + 20_000);

    assert.deepEqual(sent(), [
      'desktop@0',
      'desktop@1',
      'desktop@2',
      'desktop@3',
      'desktop@5',
      'desktop@6',
    ]);
    const { sessionId, also } = simulation.sent().at(-1) ?? assert.fail();
    assert.deepEqual([sessionId, also.length], ['s3.5', 1]);
  });

  test('news use up the hour of a channel and of a session for news only', async () => {
    const noise = { ...samplePolicy.noise, perSessionAnHour: 1, perChannelAnHour: 2 };
    await using line = await timeline({ ...escalating, noise });
    const { at, sent } = line;

    await at(0, failure('s1'), failure('s2'), failure('s3'));
    await at(30, permission('x', 's1'));

    assert.deepEqual(sent(), ['desktop@0', 'desktop@0', 'desktop@30']);
  });

  test('two thousand notifications of unknown types in a minute become few messages that count them all', async () => {
    const noise = { ...samplePolicy.noise, burst: { atOnce: 1, windowMs: 5_000 } };
    await using line = await timeline({ ...escalating, noise });
    const { simulation } = line;
    const total = 2_000;

    for (let number = 0; number < total; number += 1) {
      const payload = {
        hook_event_name: 'Notification',
        session_id: `s${number}`,
        notification_type: `type ${number}`,
        message: `Gate ${number}`,
      };
      await line.at((number * 60) / total, {
        ...decodedEvent(payload, { agent: 'claude' }),
        id: `e${number}`,
      });
    }
    await simulation.advanceTo(START + 110_000);

    const pops = simulation.sent().filter(({ channel }) => channel === 'desktop');
    // Three waits each five seconds.
    assert.ok(pops.length <= 40, `${pops.length} messages`);
    assert.equal(
      pops.reduce((sum, { also }) => sum + 1 + also.length, 0),
      total,
    );
  });

  test('channels that serve machines get every one', async () => {
    await using line = await timeline({
      ...bursty,
      routes: [{ name: 'all', match: {}, plan: 'log', also: false }],
      plans: {
        log: {
          name: 'log',
          steps: [{ afterMs: 0, notify: ['log'], repeat: null, condition: null }],
        },
      },
    });
    const { at, sent } = line;

    for (let number = 0; number < 20; number += 1) await at(0, permission('x', `s${number}`));

    assert.equal(sent().length, 20);
  });

  test('beyond the budget of a session nothing is lost: it is sent together when there is room', async () => {
    await using line = await timeline({
      ...escalating,
      noise: { ...samplePolicy.noise, perSessionAnHour: 2 },
      plans: {
        ...escalating.plans,
        escalate: {
          name: 'escalate',
          steps: [{ afterMs: 0, notify: ['desktop'], repeat: null, condition: null }],
        },
      },
    });
    const { at, sent, simulation } = line;

    await at(0, permission('a'));
    await at(100, permission('b'));
    await at(200, permission('c'));
    await simulation.finish();

    assert.deepEqual(sent(), ['desktop@0', 'desktop@100', 'desktop@3600']);
  });
});

describe('mutes', () => {
  const mute = {
    id: 'm',
    createdAt: START,
    sessionKey: null,
    project: null,
    agent: null,
    channel: null,
    kind: null,
  };

  test('held messages are sent when the mute is over, unless answered (fault 49)', async () => {
    await using line = await timeline(escalating);
    const { at, sent, simulation } = line;
    await simulation.mute({ ...mute, until: START + 60_000 });

    await at(0, permission('a', 's1'));
    await at(10, permission('b', 's2'));
    await at(20, toolDone('s1'));
    await simulation.advanceTo(START + 61_000);

    assert.deepEqual(sent(), ['desktop@60']);
  });

  test('a mute without an end holds what waits for an answer (B2)', async () => {
    await using line = await timeline(escalating);
    const { at, sent, simulation } = line;
    await simulation.mute({ ...mute, until: null });

    await at(0, { ...permission('a', 's1'), id: 'asked' });
    await simulation.advanceTo(START + 600_000);

    assert.deepEqual(sent(), []);
    const held = (await simulation.decisions('asked')).filter(({ verdict }) => verdict === 'note');
    assert.ok(held.some(({ reason }) => reason === '"desktop" is muted until you unmute it: held'));
    assert.ok(held.some(({ reason }) => reason === '"team" is muted until you unmute it: held'));
  });

  test('a mute of one project leaves the others alone', async () => {
    await using line = await timeline(escalating);
    const { at, sent, simulation } = line;
    await simulation.mute({ ...mute, project: 'shop', until: null });

    await at(0, { ...permission('a', 's1'), project: 'shop' });
    await at(1, { ...permission('b', 's2'), project: 'blog' });

    assert.deepEqual(sent(), ['desktop@1']);
  });
});
