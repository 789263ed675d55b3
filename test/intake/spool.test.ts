import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { creationTime } from '../../src/intake/listing.ts';
import type { SpoolOptions, Taken } from '../../src/intake/spool.ts';
import { createSpool } from '../../src/intake/spool.ts';
import { envelopeBytes, putEnvelope } from '../support/envelopes.ts';
import { needs } from '../support/system-part.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const stop = '{"hook_event_name":"Stop"}';
/** Cuts the end marker off, and no more. */
const NO_MARKER = `\nhookbell-end ${randomUUID()}\n`.length;

/** A spool on a real directory, whose clock the test turns. */
async function spoolRun(options: Partial<SpoolOptions> = {}) {
  const temporary = await temporaryDirectory();
  const directory = join(temporary.path, 'spool');
  mkdirSync(directory, { mode: 0o700 });
  let now = 0;
  const spool = createSpool({
    directory,
    monotonic: () => now,
    isAlive: () => false,
    uid: process.geteuid?.() ?? null,
    ...options,
  });
  return {
    directory,
    outside: temporary.path,
    /** Lists the spool after `ms` and takes the only name in it. */
    async takeAfter(ms: number): Promise<Taken> {
      now += ms;
      const [entry, ...others] = await spool.list();
      assert.ok(entry);
      assert.deepEqual(others, []);
      return spool.take(entry);
    },
    list: () => spool.list(),
    [Symbol.asyncDispose]: () => temporary[Symbol.asyncDispose](),
  };
}

function refusalOf(taken: Taken): string {
  return taken.type === 'refused' ? taken.reason : taken.type;
}

async function putUnmarked(directory: string, payload: string, pid = '7'): Promise<string> {
  const name = randomUUID();
  const cut = envelopeBytes(name, payload, { pid }).length - NO_MARKER;
  return putEnvelope(directory, payload, { name, facts: { pid }, cut });
}

describe('spool.take() of an envelope without end marker', () => {
  test('a whole document is taken after 1.5 s without a change (faults 5, 41)', async () => {
    await using run = await spoolRun();
    await putUnmarked(run.directory, stop);

    assert.equal((await run.takeAfter(0)).type, 'waiting');
    assert.equal((await run.takeAfter(1_499)).type, 'waiting');
    const taken = await run.takeAfter(1);

    assert.ok(taken.type === 'ready');
    assert.equal(Buffer.from(taken.payload).toString(), stop);
  });

  test('a hook that lives is not waited for: its input may never end (fault 41)', async () => {
    await using run = await spoolRun({ isAlive: () => true });
    await putUnmarked(run.directory, stop);

    await run.takeAfter(0);

    assert.equal((await run.takeAfter(1_500)).type, 'ready');
  });

  test('as long as it grows it is left alone, although its hook is dead (fault 5)', async () => {
    await using run = await spoolRun();
    const name = await putUnmarked(run.directory, '{"hook_event_name":');
    for (const part of ['"St', 'op"', '}']) {
      assert.equal((await run.takeAfter(1_400)).type, 'waiting');
      appendFileSync(join(run.directory, name), part);
    }
    assert.equal((await run.takeAfter(1_400)).type, 'waiting');

    const taken = await run.takeAfter(1_500);

    assert.ok(taken.type === 'ready');
    assert.equal(Buffer.from(taken.payload).toString(), stop);
  });

  test('a late marker makes it ready immediately', async () => {
    await using run = await spoolRun();
    const name = await putUnmarked(run.directory, stop);
    await run.takeAfter(0);
    appendFileSync(join(run.directory, name), `\nhookbell-end ${name}\n`);

    assert.equal((await run.takeAfter(0)).type, 'ready');
  });

  test('half a document is truncated once its hook is gone for 3 s (faults 5, 13, 16)', async () => {
    await using run = await spoolRun();
    await putUnmarked(run.directory, '{"hook_event_name":"Stop"');

    for (const [ms, wanted] of [
      [0, 'waiting'],
      [1_500, 'waiting'],
      [1_499, 'waiting'],
      [1, 'truncated'],
    ] as const) {
      assert.equal(refusalOf(await run.takeAfter(ms)), wanted);
    }
  });

  test('half a document of a living hook is waited for, but no longer than a minute', async () => {
    const asked: number[] = [];
    await using run = await spoolRun({ isAlive: (pid) => asked.push(pid) > 0 });
    await putUnmarked(run.directory, '{"hook_event_name":"Stop"', '4242');

    assert.equal(refusalOf(await run.takeAfter(0)), 'waiting');
    assert.equal(refusalOf(await run.takeAfter(59_999)), 'waiting');
    assert.equal(refusalOf(await run.takeAfter(1)), 'truncated');
    assert.ok(asked.includes(4242));
  });

  test('one that was cut in its header is truncated, too', async () => {
    await using run = await spoolRun();
    await putEnvelope(run.directory, stop, { facts: { pid: '7' }, cut: 14 });
    await run.takeAfter(0);

    assert.equal(refusalOf(await run.takeAfter(3_000)), 'truncated');
  });

  for (const [what, cut] of [
    ['an empty file', 0],
    ['a header without payload', envelopeBytes('', '').length - '\nhookbell-end \n'.length],
  ] as const) {
    test(`${what} is empty (fault 40)`, async () => {
      await using run = await spoolRun();
      await putEnvelope(run.directory, stop, { cut });
      await run.takeAfter(0);

      assert.equal(refusalOf(await run.takeAfter(3_000)), 'empty');
    });
  }

  test('modification times decide nothing: idle time is counted here (fault 26)', async () => {
    await using run = await spoolRun();
    const name = await putUnmarked(run.directory, stop);
    utimesSync(join(run.directory, name), new Date(0), new Date('2100-01-01'));
    assert.equal((await run.takeAfter(0)).type, 'waiting');
    utimesSync(join(run.directory, name), new Date(0), new Date(0));

    assert.equal((await run.takeAfter(1_499)).type, 'waiting');
    assert.equal((await run.takeAfter(1)).type, 'ready');
  });

  test('a large one that grows is ready when its marker is there', async () => {
    await using run = await spoolRun();
    const payload = `${stop}${' '.repeat(200_000)}`;
    const name = await putUnmarked(run.directory, payload);
    assert.equal((await run.takeAfter(0)).type, 'waiting');
    appendFileSync(join(run.directory, name), `\nhookbell-end ${name}\n`);

    const taken = await run.takeAfter(0);

    assert.ok(taken.type === 'ready');
    assert.equal(taken.payload.length, payload.length);
  });

  test('of a large one the whole document is taken, too', async () => {
    await using run = await spoolRun();
    await putUnmarked(run.directory, `${stop}${' '.repeat(200_000)}`);
    await run.takeAfter(0);

    assert.equal((await run.takeAfter(1_500)).type, 'ready');
  });
});

describe('spool.take() of what no hook left there (T3, fault 51)', () => {
  test('a link is refused, its target is not read', async () => {
    await using run = await spoolRun();
    const name = randomUUID();
    const target = join(run.outside, 'target');
    writeFileSync(target, envelopeBytes(name, stop));
    symlinkSync(target, join(run.directory, name));

    assert.equal(refusalOf(await run.takeAfter(0)), 'not-ours');
    assert.ok(existsSync(target));
  });

  test('a FIFO is refused without blocking', { skip: needs('mkfifo') }, async () => {
    await using run = await spoolRun();
    execFileSync('mkfifo', [join(run.directory, randomUUID())]);

    assert.equal(refusalOf(await run.takeAfter(0)), 'not-ours');
  });

  test('a directory is refused', async () => {
    await using run = await spoolRun();
    mkdirSync(join(run.directory, randomUUID()));

    assert.equal(refusalOf(await run.takeAfter(0)), 'not-ours');
  });

  test('a name that no hook gives is refused, a hidden one is left alone', async () => {
    await using run = await spoolRun();
    writeFileSync(join(run.directory, 'notes.txt'), 'x');
    writeFileSync(join(run.directory, '.nfs0001'), 'x');

    assert.equal(refusalOf(await run.takeAfter(0)), 'not-ours');
  });

  test('an envelope over 16 MB is refused without being read (T15)', async () => {
    await using run = await spoolRun();
    const name = await putEnvelope(run.directory, stop);
    truncateSync(join(run.directory, name), 20 * 1024 * 1024 * 1024);

    assert.equal(refusalOf(await run.takeAfter(0)), 'too-large');
  });

  test('an envelope of 16 MB is looked at, and one of a byte more is not', async () => {
    await using run = await spoolRun();
    const name = await putEnvelope(run.directory, stop);
    truncateSync(join(run.directory, name), 16_777_217);
    assert.equal(refusalOf(await run.takeAfter(0)), 'too-large');
    truncateSync(join(run.directory, name), 16_777_216);

    assert.equal(refusalOf(await run.takeAfter(0)), 'waiting');
  });

  test('an envelope of 10 MB is read', async () => {
    await using run = await spoolRun();
    await putEnvelope(run.directory, `{"hook_event_name":"Stop","x":"${'y'.repeat(10_485_760)}"}`);

    assert.equal((await run.takeAfter(0)).type, 'ready');
  });
});

const times = (birthtimeMs: number) => creationTime({ birthtimeMs, mtimeMs: 7 });

describe('spool.list()', () => {
  test('makes a spool that was deleted anew, for this user only (faults 14, 20)', async () => {
    await using run = await spoolRun();
    rmSync(run.directory, { recursive: true });

    assert.deepEqual(await run.list(), []);
    assert.equal(statSync(run.directory).mode & 0o777, 0o700);
  });

  test('does not follow a link in the place of the spool (T2, fault 51)', async () => {
    await using run = await spoolRun();
    rmSync(run.directory, { recursive: true });
    mkdirSync(join(run.outside, 'elsewhere'));
    symlinkSync(join(run.outside, 'elsewhere'), run.directory);

    await assert.rejects(run.list(), /^Error: Cannot use spool ".*": it is not a directory$/);
  });

  test('lists no spool that belongs to another user', async () => {
    await using run = await spoolRun({ uid: 4_242 });

    await assert.rejects(run.list(), /^Error: Cannot use spool ".*": it belongs to user \d+$/);
  });

  test('orders files by their creation, and by their modification where the system has no such time', () => {
    const known = Date.UTC(2020);

    assert.deepEqual([times(known), times(known - 1), times(0)], [known, 7, 7]);
  });

  test('forgets idle times of files that are gone', async () => {
    await using run = await spoolRun();
    const name = await putUnmarked(run.directory, stop);
    await run.takeAfter(0);
    const bytes = readFileSync(join(run.directory, name));
    rmSync(join(run.directory, name));
    await run.list();
    writeFileSync(join(run.directory, name), bytes);

    assert.equal((await run.takeAfter(1_500)).type, 'waiting');
  });
});
