import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { putEnvelope } from '../support/envelopes.ts';
import { hookbellHome, projectRoot, until } from '../support/hookbell-home.ts';
import { PROBED_CALLS, removalsIn } from '../support/sync-probe.ts';
import { needs } from '../support/system-part.ts';

/** More than go into one commit. */
const ENVELOPES = 300;

const careless = fileURLToPath(new URL('../support/careless-intake.js', import.meta.url));

/** A home whose spool has envelopes, and a way to run a program of Node in it under strace. */
async function tracedHome() {
  const place = await hookbellHome();
  await mkdir(place.paths.spool, { recursive: true, mode: 0o700 });
  for (let number = 0; number < ENVELOPES; number += 1) {
    await putEnvelope(place.paths.spool, { hook_event_name: 'Stop', session_id: `s${number}` });
  }
  const trace = join(place.home, 'trace');
  const words = ['-f', '-qq', '-y', '-o', trace, '-e', `trace=${PROBED_CALLS}`, process.execPath];
  return {
    ...place,
    traced: (...program: readonly string[]) =>
      spawn('strace', [...words, ...program], { env: place.env, stdio: 'ignore' }),
    removals: async () => removalsIn(await readFile(trace, 'utf8')),
  };
}

describe('a probe of the calls to the system', { skip: needs('strace') }, () => {
  test('shows that the daemon removes no envelope before the commit with its event is on disk (faults 21, 22)', async () => {
    await using place = await tracedHome();
    const daemon = place.traced(join(projectRoot, 'dist/program/daemon.js'));
    const ended = once(daemon, 'exit');
    await until(async () => (await readdir(place.paths.spool)).length === 0);
    await place.ask('POST /v1/stop');
    await ended;

    assert.deepEqual(await place.removals(), { removed: ENVELOPES, unsynced: 0 });
  });

  test('sees each one that is removed too early, as by a store that does not wait for the disk (fault 21)', async () => {
    await using place = await tracedHome();

    await once(place.traced(careless, place.paths.state), 'exit');

    const { removed, unsynced } = await place.removals();
    assert.equal(removed, ENVELOPES);
    assert.ok(unsynced > ENVELOPES / 2, `Only ${unsynced} of ${removed} were seen`);
  });
});

describe('removalsIn()', () => {
  const open =
    '7 openat(AT_FDCWD, "/s/spool/0123456789abcdef", O_RDONLY) = 20</s/spool/0123456789abcdef>';
  const write = '7 pwrite64(9</s/hookbell.db-wal>, "x"..., 4096, 0) = 4096';
  const sync = '7 fdatasync(9</s/hookbell.db-wal>) = 0';
  const unlink = '7 unlink("/s/spool/0123456789abcdef") = 0';
  const lines: readonly [what: string, lines: readonly string[], unsynced: number][] = [
    ['synced in between', [open, write, sync, unlink], 0],
    [
      'synced in between, across another thread',
      [
        open,
        write,
        '7 fdatasync(9</s/hookbell.db-wal> <unfinished ...>',
        '8 write(1</x>, "") = 0',
        '7 <... fdatasync resumed>) = 0',
        unlink,
      ],
      0,
    ],
    ['written and not synced', [open, write, unlink], 1],
    ['not written at all', [open, unlink], 1],
    ['synced before it was read', [write, sync, open, unlink], 1],
    ['written again after the sync', [open, write, sync, write, unlink], 1],
    ['a sync that failed', [open, write, sync.replace('= 0', '= -1 EIO'), unlink], 1],
    ['a sync of another file', [open, write, sync.replace('-wal', ''), unlink], 1],
  ];
  for (const [what, trace, unsynced] of lines) {
    test(`counts ${unsynced}: ${what}`, () => {
      assert.deepEqual(removalsIn(trace.join('\n')), { removed: 1, unsynced });
    });
  }
});
