import assert from 'node:assert/strict';
import { mkdir, readFile, readdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';

import { execa } from 'execa';

import type { FileChannelHome } from '../support/file-channel-home.ts';
import { fileChannelHome } from '../support/file-channel-home.ts';
import { projectRoot, until } from '../support/hookbell-home.ts';
import { runProcess } from '../support/run-process.ts';
import { needs } from '../support/system-part.ts';

const event = { session_id: 's', hook_event_name: 'Stop', cwd: '/home/dev/shop' };

async function assertSilent(place: FileChannelHome): Promise<void> {
  const { code, stdout, stderr } = await place.hook(event);
  assert.deepEqual([code, stdout, stderr], [0, '', '']);
}

const plants: Readonly<Record<string, (path: string, home: string) => Promise<unknown>>> = {
  'a link to a file': async (path, home) => {
    const victim = join(home, 'victims', path.replaceAll('/', '-'));
    await mkdir(dirname(victim), { recursive: true });
    await writeFile(victim, 'precious');
    await symlink(victim, path);
  },
  'a link to nothing': (path, home) => symlink(join(home, 'victims', 'new'), path),
  'a FIFO': (path) => execa('mkfifo', [path]),
};

describe(
  'what is planted in the state directory (T1-T3, fault 51)',
  { skip: needs('mkfifo') },
  () => {
    for (const [what, plant] of Object.entries(plants)) {
      test(`${what} in the place of each file is replaced or set aside, never followed or waited for`, async () => {
        await using place = await fileChannelHome();
        const { paths, home } = place;
        await mkdir(paths.runtime, { recursive: true, mode: 0o700 });
        await mkdir(join(home, 'victims'));
        for (const path of [
          paths.log,
          paths.token,
          paths.socket,
          paths.pidFile,
          paths.launch,
          paths.database,
        ]) {
          await plant(path, home);
        }

        await place.start();
        await assertSilent(place);
        await until(async () => (await place.lines()).length === 1);

        for (const name of await readdir(join(home, 'victims'))) {
          assert.equal(await readFile(join(home, 'victims', name), 'utf8'), 'precious', name);
        }
        assert.match(await readFile(paths.log, 'utf8'), /"Ready"/);
      });
    }

    for (const name of ['lock', 'spool', 'quarantine', 'run'] as const) {
      for (const [what, plant] of Object.entries(plants)) {
        test(`${what} in the place of "${name}" keeps the daemon from starting, and it says so`, async () => {
          await using place = await fileChannelHome();
          const { state } = place.paths;
          await mkdir(state, { recursive: true, mode: 0o700 });
          await plant(join(state, name), place.home);

          const main = join(projectRoot, 'dist/program/daemon.js');
          const { code, stderr } = await runProcess(process.execPath, [main], { env: place.env });

          assert.equal(code, 1);
          assert.match(stderr, new RegExp(`Cannot use .*${name}"`));
          await assertSilent(place);
          await assert.rejects(readFile(join(place.home, 'victims', 'new')), { code: 'ENOENT' });
        });
      }
    }
  },
);
