import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { silentLog } from '../../src/platform/log.ts';
import type { HubReply } from '../../src/relay/link.ts';
import { createSeenAtHub } from '../../src/relay/seen-at-hub.ts';
import { until } from '../support/hookbell-home.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const NOW = 1_700_000_000_000;
const away: HubReply = { type: 'unreachable', reason: 'connection refused' };

/** A machine whose hub the test plays; timers fire when it says so. */
function machineAt(path: string) {
  let reply: HubReply | null = { type: 'ok', answer: { count: 2 } };
  let time = NOW;
  const asked: object[] = [];
  const timers: { readonly ms: number; readonly fire: () => void }[] = [];
  const seen = createSeenAtHub({
    path,
    async askHub(_route, body) {
      asked.push(body);
      return reply;
    },
    now: () => time,
    log: silentLog,
    random: () => 0.999,
    startTimer(ms, fire) {
      timers.push({ ms, fire });
      return () => undefined;
    },
  });
  return {
    ...seen,
    asked,
    timers,
    says(next: HubReply | null) {
      reply = next;
    },
    passes(ms: number) {
      time += ms;
    },
  };
}

describe('createSeenAtHub()', () => {
  test('reports immediately, with the time, and returns what the hub acknowledged', async () => {
    await using directory = await temporaryDirectory();
    const machine = machineAt(join(directory.path, 'seen.json'));

    assert.equal(await machine.report(['claude:s1']), 2);
    assert.equal(await machine.report(null), 2);

    assert.deepEqual(machine.asked, [
      { sessions: ['claude:s1'], at: NOW },
      { sessions: null, at: NOW },
    ]);
    machine.says(null);
    assert.equal(await machine.report(null), 0);
    assert.deepEqual(machine.timers, []);
  });

  test('reports again what a hub that was away did not get, in order, also after a restart', async () => {
    await using directory = await temporaryDirectory();
    const path = join(directory.path, 'seen.json');
    const before = machineAt(path);
    before.says(away);
    assert.equal(await before.report(['claude:s1']), 0);
    before.passes(1_000);
    assert.equal(await before.report(['claude:s2']), 0);
    assert.equal(before.timers.length, 1);
    await before.stop();

    const after = machineAt(path);
    after.says(away);
    after.start();
    after.timers[0]?.fire();
    await until(() => after.timers.length === 2);
    assert.ok((after.timers[1]?.ms ?? 0) > (after.timers[0]?.ms ?? 0));
    after.says({ type: 'ok', answer: { count: 1 } });
    after.timers[1]?.fire();
    await until(async () => (await readFile(path, 'utf8')) === '[]');

    assert.deepEqual(after.asked.slice(1), [
      { sessions: ['claude:s1'], at: NOW },
      { sessions: ['claude:s2'], at: NOW + 1_000 },
    ]);
    assert.equal(after.timers.length, 2);
  });

  test('drops what is older than a day or what the hub does not understand, and starts with a broken file', async () => {
    await using directory = await temporaryDirectory();
    const path = join(directory.path, 'seen.json');
    await writeFile(path, '[{');
    const machine = machineAt(path);
    machine.start();
    assert.equal(machine.timers.length, 0);
    machine.says(away);
    await machine.report(['claude:s1']);
    machine.passes(86_400_001);
    machine.timers[0]?.fire();
    await until(async () => (await readFile(path, 'utf8')) === '[]');
    assert.equal(machine.asked.length, 1);

    machine.says({ type: 'misunderstood', reason: 'hookbell there may be older' });
    assert.equal(await machine.report(null), 0);
    assert.equal(machine.timers.length, 1);
  });
});
