import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { inPrivateMounts, needsPrivateMounts } from '../support/private-mounts.ts';
import { needs } from '../support/system-part.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { hookVariants, noticeable, runHook, unnoticed } from './run-hook.ts';

interface Obstacle {
  readonly name: string;
  readonly skip?: string | false;
  /** Puts it where the spool belongs; nothing may appear in the directory `elsewhere`. */
  readonly plant: (spool: string, elsewhere: string) => void;
}

const notRoot = process.geteuid?.() === 0 ? false : 'needs root';
const obstacles: readonly Obstacle[] = [
  { name: 'a file', plant: (spool) => writeFileSync(spool, '') },
  { name: 'a link to a directory', plant: (spool, elsewhere) => symlinkSync(elsewhere, spool) },
  {
    name: 'a dangling link',
    plant: (spool, elsewhere) => symlinkSync(join(elsewhere, 'missing'), spool),
  },
  { name: 'a FIFO', skip: needs('mkfifo'), plant: (spool) => void spawnSync('mkfifo', [spool]) },
  {
    name: 'a directory of another user',
    skip: notRoot,
    plant(spool) {
      mkdirSync(spool);
      chownSync(spool, 65534, 65534);
    },
  },
];

// More than a pipe holds, so that a hook that does not read leaves its agent with a broken pipe.
const input = Buffer.alloc(1_000_000, 'x');

for (const variant of hookVariants) {
  describe(`the hook under ${variant.name}`, { skip: variant.skip, timeout: 120_000 }, () => {
    for (const { name, skip = false, plant } of obstacles) {
      test(
        `takes the input but follows nothing when the spool is ${name} (T2, T3, fault 51)`,
        {
          skip,
        },
        async () => {
          await using directory = await temporaryDirectory();
          const state = join(directory.path, 'state');
          const elsewhere = join(directory.path, 'elsewhere');
          mkdirSync(state);
          mkdirSync(elsewhere);
          plant(join(state, 'spool'), elsewhere);
          const before = readdirSync(directory.path, { recursive: true });

          const run = await runHook(variant, input, { env: { HOOKBELL_STATE_DIR: state } });

          assert.deepEqual(
            { ...noticeable(run), took: run.tookInput },
            { ...unnoticed, took: true },
          );
          assert.deepEqual(readdirSync(directory.path, { recursive: true }), before);
        },
      );
    }

    test(
      'writes and runs nothing in a state directory of another user, even where spool and launch are ours (D9)',
      { skip: notRoot },
      async () => {
        await using directory = await temporaryDirectory();
        const state = join(directory.path, 'state');
        const ran = join(directory.path, 'ran');
        mkdirSync(join(state, 'spool'), { recursive: true });
        writeFileSync(join(state, 'launch'), `#!/bin/sh\necho >'${ran}'\n`, { mode: 0o700 });
        const launch = {
          command: '/bin/sh',
          args: ['-c', `echo >'${ran}'`],
          environment: {},
          manager: null,
        };
        writeFileSync(join(state, 'launch.json'), JSON.stringify(launch));
        chownSync(state, 65534, 65534);

        const run = await runHook(variant, input, { env: { HOOKBELL_STATE_DIR: state } });

        assert.deepEqual({ ...noticeable(run), took: run.tookInput }, { ...unnoticed, took: true });
        assert.deepEqual(readdirSync(join(state, 'spool')), []);
        // What it would have started is not awaited by the hook.
        await new Promise((resolve) => setTimeout(resolve, 300));
        assert.equal(readdirSync(directory.path).includes('ran'), false);
      },
    );

    test('stays unnoticed when its state directory cannot be made (acceptance 020)', async () => {
      await using directory = await temporaryDirectory();
      const file = join(directory.path, 'file');
      writeFileSync(file, '');

      const run = await runHook(variant, input, {
        env: { HOOKBELL_STATE_DIR: join(file, 'state') },
      });

      assert.deepEqual({ ...noticeable(run), took: run.tookInput }, { ...unnoticed, took: true });
    });

    const mounts: Readonly<Record<string, string>> = {
      'has no space': 'mount -t tmpfs -o size=64k tmpfs "$STATE"',
      'has no space at all':
        'mount -t tmpfs -o size=64k tmpfs "$STATE" && mkdir -m 700 "$STATE/spool" && { cat /dev/zero >"$STATE/ballast"; } 2>/dev/null',
      'has no inode': 'mount -t tmpfs -o nr_inodes=2 tmpfs "$STATE" && mkdir -m 700 "$STATE/spool"',
      'is read-only':
        'mount -t tmpfs tmpfs "$STATE" && mkdir -m 700 "$STATE/spool" && mount -o remount,ro "$STATE"',
      'is read-only and has no spool': 'mount -t tmpfs -o ro tmpfs "$STATE"',
    };
    for (const [name, mount] of Object.entries(mounts)) {
      test(
        `takes the input and claims nothing when the disk ${name} (faults 13, 14, 16)`,
        {
          skip: needsPrivateMounts(),
        },
        async () => {
          await using directory = await temporaryDirectory();
          const state = join(directory.path, 'state');
          const after = join(directory.path, 'after');
          mkdirSync(state);

          const run = await runHook(variant, input, {
            env: { HOOKBELL_STATE_DIR: state, STATE: state, AFTER: after },
            wrapper: inPrivateMounts(`${mount}
            "$@"; code=$?; cp -r "$STATE" "$AFTER"; exit $code`),
          });

          assert.deepEqual(
            { ...noticeable(run), took: run.tookInput },
            { ...unnoticed, took: true },
          );
          const kept = spawnSync('grep', ['-r', 'hookbell-end', after], { encoding: 'utf8' });
          assert.deepEqual({ status: kept.status, stdout: kept.stdout }, { status: 1, stdout: '' });
        },
      );
    }
  });
}
