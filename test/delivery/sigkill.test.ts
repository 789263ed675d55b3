import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { sampleDelivery, sampleEffects, sampleRecord, storeAt } from '../support/store.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** Parallel sends: this many may be in flight when the process dies. */
const CONCURRENCY = 2;

const child = fileURLToPath(new URL('../support/delivery-child.js', import.meta.url));

/** Puts one delivery a session into the outbox: "delivery-0" … */
async function fillOutbox(path: string, count: number): Promise<void> {
  await using opened = await storeAt(path);
  const records = Array.from({ length: count }, (_, n) =>
    sampleRecord({ sessionKey: `session ${n}` }),
  );
  let number = 0;
  await opened.store.events.accept(records, () => {
    const id = `delivery-${number}`;
    number += 1;
    return sampleEffects({ deliveries: [sampleDelivery({ id, channel: 'team' })] });
  });
}

async function countUnsent(path: string): Promise<number> {
  await using opened = await storeAt(path);
  const { deliveries } = await opened.store.upkeep.counts();
  return deliveries.pending + deliveries.retrying;
}

/** Runs the delivery until `isEnough` says so of its lines, then kills it; answers the lines. */
async function deliverUntil(
  path: string,
  isEnough: (lines: readonly string[]) => boolean,
  mode = '',
): Promise<readonly string[]> {
  const process_ = spawn(process.execPath, [child, path, String(CONCURRENCY), mode], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(process_, 'exit');
  const lines: string[] = [];
  for await (const line of createInterface({ input: process_.stdout })) {
    lines.push(line);
    if (isEnough(lines)) process_.kill('SIGKILL');
  }
  assert.deepEqual(await exited, [null, 'SIGKILL']);
  return lines;
}

describe('SIGKILL of the daemon', () => {
  test("between a channel's answer and its record: sent once more, marked (fault 3)", async () => {
    await using directory = await temporaryDirectory();
    const path = join(directory.path, 'hookbell.db');
    await fillOutbox(path, 1);

    const first = await deliverUntil(path, (lines) => lines.includes('answered'), 'hold');
    const second = await deliverUntil(path, (lines) => lines.includes('recorded'));

    assert.deepEqual(first, ['sent delivery-0 first', 'answered']);
    assert.deepEqual(second, ['sent delivery-0 repeat', 'recorded']);
    await using opened = await storeAt(path);
    const [delivery] = (await opened.store.history.list({ limit: 1 }))[0]?.deliveries ?? [];
    assert.equal(delivery?.state, 'sent');
    assert.equal(delivery.possibleDuplicate, true);
    assert.deepEqual(
      delivery.log.map(({ number, outcome }) => `${number} ${outcome}`),
      ['1 unknown', '2 delivered'],
    );
  });

  test('at any moment: everything is sent, and only what was in flight is sent again, marked (fault 1)', async () => {
    await using directory = await temporaryDirectory();
    const path = join(directory.path, 'hookbell.db');
    await fillOutbox(path, 40);

    const sent: string[] = [];
    for (const lineCount of [1, 4, 9, 16]) {
      const lines = await deliverUntil(path, ({ length }) => length === lineCount);
      sent.push(...lines.filter((line) => line.startsWith('sent')));
    }
    const left = await countUnsent(path);
    const lines = await deliverUntil(
      path,
      (all) => all.filter((line) => line === 'recorded').length === left,
    );
    sent.push(...lines.filter((line) => line.startsWith('sent')));

    const firsts = sent.filter((line) => line.endsWith(' first'));
    const ids = new Set(sent.map((line) => line.split(' ')[1]));
    assert.equal(ids.size, 40);
    assert.equal(new Set(firsts).size, firsts.length, 'nothing was sent twice as if new');
    assert.ok(sent.length - 40 <= 4 * CONCURRENCY, `${sent.length - 40} repeats`);
    assert.equal(await countUnsent(path), 0);
  });
});
