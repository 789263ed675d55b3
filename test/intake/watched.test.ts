import assert from 'node:assert/strict';
import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, test } from 'node:test';

import { StoreError } from '../../src/core/store-aging.ts';
import { silentLog } from '../../src/platform/log.ts';
import { putEnvelope } from '../support/envelopes.ts';
import { intakeRun } from '../support/intake-run.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

const stop = { hook_event_name: 'Stop', session_id: 's1' };
/** Shorter than any test waits, and longer than a listing takes, ms. */
const SOON = 20;

/** An intake that watches and lists what is left soon, and what it has logged of missed envelopes. */
async function watchedRun(options: Parameters<typeof intakeRun>[0] = {}) {
  const missed: unknown[] = [];
  const log = { ...silentLog, info: (fields: object) => void missed.push(fields) };
  const run = await intakeRun({ everyMs: SOON, log, ...options });
  run.intake.start();
  await run.intake.drain();
  return Object.assign(run, { missed });
}

/** The place of a spool that can be replaced without an event of its watcher, which watches the one of before. */
async function home() {
  const directory = await temporaryDirectory();
  const spool = join(directory.path, 'state', 'spool');
  mkdirSync(spool, { recursive: true, mode: 0o700 });
  let count = 0;
  return {
    spool,
    /** Replaces the spool by one with an envelope, with only its first `cut` bytes if that is given. */
    async replace(cut?: number): Promise<void> {
      count += 1;
      const fresh = join(directory.path, `fresh-${count}`);
      mkdirSync(join(fresh, 'spool'), { recursive: true, mode: 0o700 });
      await putEnvelope(join(fresh, 'spool'), stop, cut === undefined ? {} : { cut });
      renameSync(join(directory.path, 'state'), join(directory.path, `old-${count}`));
      renameSync(fresh, join(directory.path, 'state'));
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

describe('an intake that watches', () => {
  test('lists again what a hook has left unfinished, until it is time', async () => {
    await using run = await watchedRun();
    await putEnvelope(run.spool, stop, { cut: 30 });
    await until(() => run.left().length === 1);

    await until(() => {
      run.advance(1_000);
      return run.quarantined.length === 1;
    });

    assert.deepEqual(run.left(), []);
  });

  test('tries again when the store works again, and not before its time', async () => {
    await using run = await watchedRun();
    let tries = 0;
    run.beforeCommit = () => {
      tries += 1;
      if (tries === 1) throw new StoreError('full', 'The disk is full');
    };
    await putEnvelope(run.spool, stop);
    await until(() => tries === 1);
    await delay(3 * SOON);
    assert.equal(tries, 1);

    run.advance(60_000);
    await until(() => run.troubles.at(-1) === null);
    assert.equal(run.committed().length, 1);
  });

  test('without a start lists nothing by itself', async () => {
    await using run = await intakeRun({ everyMs: SOON });
    await putEnvelope(run.spool, stop, { cut: 30 });
    await run.intake.drain();
    run.advance(10_000);

    await delay(3 * SOON);

    assert.deepEqual([run.left().length, run.quarantined.length], [1, 0]);
  });

  test('takes nothing more after its stop', async () => {
    await using run = await watchedRun();
    await run.intake.stop();
    await putEnvelope(run.spool, stop);

    await run.intake.drain();
    await delay(3 * SOON);

    assert.equal(run.left().length, 1);
  });
});

/** Two seconds and a half after the envelope was created. */
const later = () => Date.now() + 2_500;

describe('an envelope that no event of the watcher announced', () => {
  test('is missed, and the spool is listed again and again', async () => {
    await using place = await home();
    await using run = await watchedRun({ spool: place.spool, now: later });
    await place.replace();
    run.intake.beat();
    await until(() => run.committed().length === 1);
    assert.equal(run.missed.length, 1);

    await place.replace();
    await until(() => run.committed().length === 2);
  });

  test('is not missed if it is new: the event may be on its way', async () => {
    await using place = await home();
    await using run = await watchedRun({ spool: place.spool });
    await place.replace();
    run.intake.beat();
    await until(() => run.committed().length === 1);

    assert.deepEqual(run.missed, []);
  });

  test('is not missed if it was seen before', async () => {
    await using place = await home();
    await using run = await watchedRun({ spool: place.spool, now: later, everyMs: 60_000 });
    await place.replace(`hookbell 1\n\n${JSON.stringify(stop)}`.length);
    run.intake.beat();
    await run.intake.drain();
    run.advance(1_500);
    await run.intake.drain();

    assert.deepEqual([run.committed().length, run.missed], [1, []]);
  });

  test('is not missed if an event came', async () => {
    await using run = await watchedRun({ now: later });
    await putEnvelope(run.spool, stop);
    await until(() => run.committed().length === 1);

    assert.deepEqual(run.missed, []);
  });
});
