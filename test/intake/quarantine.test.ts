import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { intakeRun } from '../support/intake-run.ts';

const strayNames = ['notes.txt', '--help', 'ESC\u001b[31m', 'x'.repeat(255)];

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
