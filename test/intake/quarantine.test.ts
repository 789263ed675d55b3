import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, readdirSync, readlinkSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { StoreError } from '../../src/core/store-aging.ts';
import { envelopeBytes, putEnvelope } from '../support/envelopes.ts';
import { intakeRun } from '../support/intake-run.ts';

const stop = { hook_event_name: 'Stop', session_id: 's1' };
const strayNames = ['notes.txt', '--help', 'ESC\u001b[31m', 'x'.repeat(255)];

describe('quarantine of invalid events', () => {
  test('puts an invalid event in quarantine, with the reason and the unchanged bytes', async () => {
    await using run = await intakeRun();
    const payload = '["token=hunter2"]';
    const name = await putEnvelope(run.spool, payload, { facts: { agent: 'droid' } });
    const bytes = envelopeBytes(name, payload, { agent: 'droid' });

    await run.intake.drain();

    const place = join(run.quarantine, name);
    assert.deepEqual(readFileSync(place), bytes);
    assert.match(readFileSync(`${place}.reason`, 'utf8'), /^not-object: /);
    assert.equal(statSync(run.quarantine).mode & 0o777, 0o700);
    assert.equal(statSync(`${place}.reason`).mode & 0o777, 0o600);
    const [entry] = run.quarantined;
    assert.equal(entry?.id, name);
    assert.equal(entry?.reason, 'not-object');
    assert.equal(entry?.bytes, bytes.length);
    assert.doesNotMatch(entry?.detail ?? '', /hunter2/);
    assert.deepEqual([run.left(), run.committed()], [[], []]);
  });

  for (const [payload, reason] of [
    ['', 'empty'],
    ['not json', 'invalid-json'],
    ['null', 'not-object'],
  ] as const) {
    test(`${JSON.stringify(payload)} is set aside as ${reason}, and the next event flows (fault 40)`, async () => {
      await using run = await intakeRun();
      await putEnvelope(run.spool, payload);
      const good = await putEnvelope(run.spool, stop);

      await run.intake.drain();

      assert.deepEqual(
        run.quarantined.map((entry) => entry.reason),
        [reason],
      );
      assert.deepEqual(
        run.committed().map(({ event }) => event.id),
        [good],
      );
    });
  }
});

const runWith = (error: Error) =>
  intakeRun({
    store: {
      events: { accept: async () => [] },
      quarantine: {
        async add() {
          throw error;
        },
      },
    },
  });

describe('quarantine while it cannot be recorded', () => {
  test('leaves the event in the spool if the store cannot write', async () => {
    await using run = await runWith(new StoreError('full', 'The disk is full'));
    const name = await putEnvelope(run.spool, 'not json');

    await run.intake.drain();

    assert.deepEqual([run.left(), run.troubles.at(-1)?.code], [[name], 'full']);
  });

  test('moves the event away in spite of a bug, so that it is not met again and again', async () => {
    await using run = await runWith(new TypeError('x is undefined'));
    const name = await putEnvelope(run.spool, 'not json');

    await run.intake.drain();

    assert.deepEqual([run.left(), run.troubles], [[], []]);
    assert.deepEqual(readdirSync(run.quarantine).toSorted(), [name, `${name}.reason`]);
  });
});

describe('quarantine of what no hook left in the spool (fault 51)', () => {
  for (const name of strayNames) {
    test(`${JSON.stringify(name.slice(0, 20))} is kept under a harmless name`, async () => {
      await using run = await intakeRun();
      mkdirSync(join(run.spool, name));

      await run.intake.drain();

      const [entry] = run.quarantined;
      assert.match(entry?.id ?? '', /^stray-[0-9a-f]{32}$/);
      assert.equal(entry?.reason, 'not-ours');
      assert.deepEqual(readdirSync(run.quarantine).toSorted(), [entry?.id, `${entry?.id}.reason`]);
      assert.deepEqual(run.left(), []);
    });
  }

  test('a link is moved as a link', async () => {
    await using run = await intakeRun();
    const target = join(run.spool, '..', 'secret');
    symlinkSync(target, join(run.spool, '0'.repeat(32)));

    await run.intake.drain();

    const place = join(run.quarantine, '0'.repeat(32));
    assert.equal(readlinkSync(place), target);
    assert.match(readFileSync(`${place}.reason`, 'utf8'), /^not-ours: It is not a regular file\n$/);
  });
});
