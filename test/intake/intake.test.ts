import assert from 'node:assert/strict';
import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { copyFile, mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { StoreError } from '../../src/core/store-aging.ts';
import { deferred } from '../support/deferred.ts';
import { envelopeBytes, putEnvelope } from '../support/envelopes.ts';
import { intakeRun } from '../support/intake-run.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const stop = { hook_event_name: 'Stop', session_id: 's1' };

describe('intake', () => {
  test('makes an event of an envelope: id, facts, payload unchanged (acceptance 016)', async () => {
    await using run = await intakeRun({ now: () => 4_000_000_000_000 });
    const payload = `{"hook_event_name": "Stop", "unknown": [1, 2]}\r\n`;
    const name = await putEnvelope(run.spool, payload, { facts: { agent: 'droid', pid: '7' } });
    const createdAt = statSync(join(run.spool, name)).birthtimeMs;

    await run.intake.drain();

    const [record] = run.committed();
    assert.ok(record);
    assert.equal(record.event.id, name);
    assert.equal(record.event.agent, 'droid');
    assert.deepEqual(record.event.facts, { agent: 'droid', pid: '7' });
    assert.equal(record.event.at, Math.floor(createdAt));
    assert.equal(record.event.receivedAt, 4_000_000_000_000);
    assert.equal(Buffer.from(record.payload).toString(), payload);
    assert.deepEqual(run.left(), []);
  });

  test('an envelope of the future happened now (fault 26)', async () => {
    await using run = await intakeRun({ now: () => 1_600_000_000_000 });
    await putEnvelope(run.spool, stop);

    await run.intake.drain();

    assert.equal(run.committed()[0]?.event.at, 1_600_000_000_000);
  });

  test('sees a new envelope immediately by the events of the directory', async () => {
    const committed = deferred();
    await using run = await intakeRun({ onCommitted: committed.resolve, everyMs: 3_600_000 });
    run.intake.start();
    await run.intake.drain();

    await putEnvelope(run.spool, stop);
    await committed.promise;

    assert.equal(run.committed().length, 1);
  });

  test('finds at a beat what no event reported, such as in a directory above that was replaced (faults 20, 25)', async () => {
    const committed = deferred();
    const home = await temporaryDirectory();
    const spool = join(home.path, 'state', 'spool');
    await mkdir(spool, { recursive: true, mode: 0o700 });
    await using run = await intakeRun({ onCommitted: committed.resolve, spool });
    run.intake.start();
    await run.intake.drain();
    const fresh = join(home.path, 'fresh');
    await mkdir(join(fresh, 'spool'), { recursive: true, mode: 0o700 });
    await putEnvelope(join(fresh, 'spool'), stop);

    await rename(join(home.path, 'state'), join(home.path, 'old'));
    await rename(fresh, join(home.path, 'state'));
    run.intake.beat();
    await committed.promise;
    await home[Symbol.asyncDispose]();

    assert.equal(run.committed().length, 1);
  });

  test('removes an envelope only after its commit (fault 2)', async () => {
    await using run = await intakeRun();
    const name = await putEnvelope(run.spool, stop);
    const seen: boolean[] = [];
    run.beforeCommit = () => void seen.push(existsSync(join(run.spool, name)));

    await run.intake.drain();

    assert.deepEqual(seen, [true]);
    assert.deepEqual(run.left(), []);
  });

  test('an envelope that comes back is known and removed again (faults 2, 44)', async () => {
    let commits = 0;
    await using run = await intakeRun({
      onCommitted: () => {
        commits += 1;
      },
    });
    const name = await putEnvelope(run.spool, stop);
    const copy = join(run.spool, '..', 'copy');
    await copyFile(join(run.spool, name), copy);
    await run.intake.drain();

    for (let round = 0; round < 3; round += 1) {
      await copyFile(copy, join(run.spool, name));
      await run.intake.drain();
    }

    assert.equal(commits, 1);
    assert.deepEqual(run.left(), []);
  });

  test('what is committed but does not go away is not taken in again', async () => {
    await using run = await intakeRun();
    const name = await putEnvelope(run.spool, stop);
    const path = join(run.spool, name);
    run.beforeCommit = () => {
      // Nothing can be unlinked where a directory stands.
      rmSync(path);
      mkdirSync(path);
    };

    await run.intake.drain();
    await run.intake.drain();

    assert.equal(run.groups.length, 1);
    assert.deepEqual([run.left(), run.quarantined], [[name], []]);
  });

  test('while the store cannot write envelopes stay, the trouble is reported once, and its end, too (fault 12)', async () => {
    await using run = await intakeRun();
    const name = await putEnvelope(run.spool, stop);
    run.beforeCommit = () => {
      throw new StoreError('full', 'The disk is full');
    };

    await run.intake.drain();
    await run.intake.drain();
    assert.deepEqual(run.left(), [name]);
    assert.deepEqual(run.troubles, [{ code: 'full', message: 'The disk is full' }]);
    run.beforeCommit = () => undefined;
    await run.intake.drain();

    assert.deepEqual(run.left(), []);
    assert.deepEqual(run.troubles.at(-1), null);
    assert.equal(run.troubles.length, 2);
    assert.equal(run.committed().length, 1);
  });

  test('one poison event does not keep the others out: it goes to quarantine alone', async () => {
    await using run = await intakeRun();
    const names: string[] = [];
    for (let index = 0; index < 9; index += 1) names.push(await putEnvelope(run.spool, stop));
    const poison = names[5];
    run.beforeCommit = (records) => {
      if (records.some(({ event }) => event.id === poison)) throw new TypeError('poison');
    };

    await run.intake.drain();

    assert.deepEqual(
      run
        .committed()
        .map(({ event }) => event.id)
        .toSorted(),
      names.filter((name) => name !== poison).toSorted(),
    );
    assert.deepEqual(
      run.quarantined.map(({ id, reason }) => [id, reason]),
      [[poison, 'bad-envelope']],
    );
    assert.deepEqual(run.left(), []);
  });

  test('commits a backlog in order of creation, in groups of 256 events (faults 25, 45)', async () => {
    await using run = await intakeRun();
    const createdAt = new Map<string, number>();
    for (let index = 0; index < 600; index += 1) {
      const name = await putEnvelope(run.spool, stop);
      createdAt.set(name, statSync(join(run.spool, name)).birthtimeMs);
    }

    await run.intake.drain();

    // Files created within one tick of the file system's clock have no order.
    const times = run.committed().map(({ event }) => createdAt.get(event.id) ?? 0);
    assert.deepEqual(times, [...createdAt.values()]);
    assert.deepEqual(
      run.groups.map((group) => group.length),
      [256, 256, 88],
    );
  });

  test('a group ends before the event that would make it more than 8 MB (T15, A15)', async () => {
    await using run = await intakeRun();
    const large = { ...stop, filler: 'x'.repeat(3 * 1024 * 1024) };
    const huge = { ...stop, filler: 'x'.repeat(9 * 1024 * 1024) };
    for (const payload of [large, large, large, huge, large]) await putEnvelope(run.spool, payload);

    await run.intake.drain();

    assert.deepEqual(
      run.groups.map((group) => group.length),
      [2, 1, 1, 1],
    );
  });

  test('stop() waits for the running commit and takes in nothing more (fault 6)', async () => {
    await using run = await intakeRun();
    for (let index = 0; index < 300; index += 1) await putEnvelope(run.spool, stop);
    const entered = deferred();
    const release = deferred();
    run.beforeCommit = async () => {
      entered.resolve();
      await release.promise;
    };

    const drained = run.intake.drain();
    await entered.promise;
    const stopped = run.intake.stop();
    assert.equal(run.left().length, 300);
    release.resolve();
    await Promise.all([drained, stopped]);

    assert.equal(run.committed().length, 256);
    assert.equal(run.left().length, 44);
  });

  test('an envelope cut at any byte is taken whole or set aside, never half (fault 17)', async () => {
    await using run = await intakeRun();
    const payload = '{"hook_event_name":"Stop","x":"}"}';
    const whole = envelopeBytes('0'.repeat(36), payload, { pid: '1' });
    for (let cut = 0; cut < whole.length; cut += 1) {
      await putEnvelope(run.spool, payload, { facts: { pid: '1' }, cut });
    }

    await run.intake.drain();
    assert.equal(run.left().length, whole.length, 'nothing is taken before its time');
    run.advance(1_500);
    await run.intake.drain();
    const taken = run.committed().length;
    run.advance(1_500);
    await run.intake.drain();

    const afterPayload = `\nhookbell-end ${'0'.repeat(36)}\n`.length;
    assert.equal(taken, afterPayload);
    for (const record of run.committed()) {
      assert.equal(Buffer.from(record.payload).toString().trimEnd(), payload);
    }
    assert.equal(run.quarantined.length, whole.length - afterPayload);
    assert.deepEqual(run.left(), []);
  });
});
