import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { until } from '../support/hookbell-home.ts';
import { answer, openDesk } from '../support/open-desk.ts';
import { sampleEvent } from '../support/sample.ts';
import { needs } from '../support/system-part.ts';

describe('what hooks leave in their directory', { skip: needs('mkfifo'), timeout: 60_000 }, () => {
  for (const [name, isPrinted] of [
    ['that the hook printed is confirmed by the end of the turn', true],
    ['that the hook did not print, such as one killed before, is not confirmed', false],
  ] as const) {
    test(`a denial ${name}`, async () => {
      await using place = await openDesk();
      const { id, fifo, record } = await place.ask();
      await place.desk.answer(id, answer({ choice: 'deny' }));
      if (isPrinted) writeFileSync(join(place.asks, `${fifo}.printed`), '');

      const { sessionKey, at } = record.event;
      const event = sampleEvent({ sessionKey, kind: 'turn.done', at: at + 5 });
      place.desk.take([{ event, payload: Buffer.from('{}') }]);

      assert.deepEqual(place.desk.shown(), []);
      await until(async () => ((await place.stored(id))?.closedAt ?? null) !== null);
      assert.equal((await place.stored(id))?.state, isPrinted ? 'confirmed' : 'answered');
      assert.deepEqual(readdirSync(place.asks), [], 'the note is still there');
    });
  }

  test('a note is not believed that is a link, or in a directory that others can write', async () => {
    await using place = await openDesk();
    const linked = await place.ask();
    const open = await place.ask({ sessionKey: 'claude:other' });
    for (const { id, fifo } of [linked, open]) {
      await place.desk.answer(id, answer({ choice: 'deny' }));
      const note = join(place.asks, `${fifo}.printed`);
      if (fifo === linked.fifo) symlinkSync('/etc/passwd', note);
      else writeFileSync(note, '');
    }
    const stop = ({ record }: typeof linked): void => {
      const { sessionKey, at } = record.event;
      const event = sampleEvent({ sessionKey, kind: 'turn.done', at: at + 5 });
      place.desk.take([{ event, payload: Buffer.from('{}') }]);
    };

    stop(linked);
    chmodSync(place.asks, 0o777);
    stop(open);

    for (const { id } of [linked, open]) {
      await until(async () => ((await place.stored(id))?.closedAt ?? null) !== null);
      assert.equal((await place.stored(id))?.state, 'answered');
    }
  });

  test('a new daemon releases what an earlier one held, and sweeps what no hook reads', async () => {
    await using place = await openDesk();
    execFileSync('mkfifo', [join(place.asks, 'left')]);
    for (const note of ['left.ended', 'left.printed']) writeFileSync(join(place.asks, note), '');
    const { id } = await place.ask();

    await place.desk.start();

    assert.equal((await place.stored(id))?.state, 'released');
    assert.deepEqual(readdirSync(place.asks), []);
  });

  test('removes the FIFO of a hook that was killed before its request was taken', async () => {
    await using place = await openDesk();
    const { record } = await place.ask();
    const fifo = '00000000-0000-0000-0000-00000000dead';
    execFileSync('mkfifo', ['-m', '600', join(place.asks, fifo)]);
    const { waits } = record.event;
    assert.ok(waits);
    const event = sampleEvent({ ...record.event, id: 'killed', waits: { ...waits, fifo } });

    place.desk.take([{ event, payload: record.payload }]);

    assert.deepEqual(readdirSync(place.asks), []);
    assert.equal(place.desk.shown().length, 1);
  });

  test('removes what hooks left behind when no request is held, and not what is new', async () => {
    await using place = await openDesk();
    for (const [laterMs, left] of [
      [9_000, ['left', 'left.ended', 'left.printed']],
      [11_000, []],
    ] as const) {
      const { record } = await place.ask();
      execFileSync('mkfifo', [join(place.asks, 'left')]);
      for (const note of ['left.ended', 'left.printed']) writeFileSync(join(place.asks, note), '');
      place.world.now = Date.now() + laterMs;

      place.desk.answeredElsewhere(record.event.sessionKey);

      assert.deepEqual(readdirSync(place.asks).toSorted(), left);
      rmSync(join(place.asks, 'left'), { force: true });
    }
  });
});
