/**
 * Runs the main job in a world like macOS on Linux: no /proc, a Node that believes in darwin, bash as /bin/sh, the
 * programs of macOS as stand-ins that do what their manuals say and refuse what only GNU's know. Not what a Mac shows.
 * On a Mac, it runs with the programs that are there.
 *
 * Needs root (mounts), unshare, and HOOKBELL_NODE_22: only newer versions of Node bring SQLite along. With the package ntfs-3g, home
 * directories are on a disk that ignores capitals.
 */
import { spawnSync } from 'node:child_process';
import {
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readFile,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { bash3 } from '../support/bash-3.ts';
import { recordRun } from '../support/what-ran.ts';
import { absentPrograms, standIns } from './stand-ins.ts';

const node = process.env['HOOKBELL_NODE_22'] ?? '';
const isRequired = process.env['HOOKBELL_REQUIRE_SYSTEM'] === '1';

/** The system as this process finds it, then the rows. The first process collects orphans, as launchd does. */
const script = `
if [ -e "$WORLD/disk" ]; then
  lowntfs-3g -o ignore_case,permissions "$WORLD/disk" "$WORLD/Users" && chmod 755 "$WORLD/Users" && mkdir -p "$WORLD/Users/dev" || exit 3
fi
mount -t proc proc "$WORLD/hidden-proc" &&
mount --bind /usr/bin "$WORLD/gnu" &&
mount -t overlay overlay -o "lowerdir=$WORLD/bin:/usr/bin" /usr/bin &&
mount -t tmpfs tmpfs /proc || exit 3
cd "$WORLD/Users/dev" || exit 3
"$REAL_NODE" --test-reporter=spec --test-reporter-destination=stdout --test-reporter=tap --test-reporter-destination="$WORLD/results" "$ROWS"
exit $?`;

function whyNot(): string | null {
  if (process.getuid?.() !== 0) return 'only root can make such a world';
  if (node === '') return 'HOOKBELL_NODE_22 does not name a Node of version 22';
  const probe = 'mount -t overlay overlay -o lowerdir=/usr/sbin:/usr/bin /usr/bin';
  const { status } = spawnSync('unshare', ['-m', '-p', '--fork', 'sh', '-c', probe]);
  return status === 0 ? null : 'this system does not let root mount an overlay in a namespace';
}

/** Ignores capitals, as the disks of Macs do. Few kernels of Linux can do so themselves (vfat, ext4 with casefold). */
async function makeDisk(path: string): Promise<void> {
  await writeFile(path, '');
  await truncate(path, 2 ** 30);
  const { status } = spawnSync('mkntfs', ['-F', '-Q', '-q', path]);
  if (status !== 0) await rm(path);
}

async function makeWorld(world: string): Promise<void> {
  for (const directory of ['bin', 'gnu', 'hidden-proc', 'Users/dev', 'recorded', 'launchd']) {
    await mkdir(join(world, directory), { recursive: true });
  }
  const bin = join(world, 'bin');
  for (const [name, content] of Object.entries(standIns({ world, node }))) {
    await writeFile(join(bin, name), content);
    await chmod(join(bin, name), 0o755);
  }
  if (bash3 !== undefined) await copyFile(bash3, join(bin, 'bash'));
  await symlink('bash', join(bin, 'sh'));
  await makeDisk(join(world, 'disk'));
  for (const name of absentPrograms) spawnSync('mknod', [join(bin, name), 'c', '0', '0']);
}

const rows = fileURLToPath(new URL('rows.js', import.meta.url));
const isMac = process.platform === 'darwin';
/** On a Mac, other persons can enter this folder, and not that of TMPDIR. */
const world = await mkdtemp(join(isMac ? '/private/tmp' : tmpdir(), 'hookbell-macos-'));
if (isMac) {
  await mkdir(join(world, 'Users/dev'), { recursive: true });
  const done = spawnSync(process.execPath, ['--test-reporter=spec', rows], {
    stdio: 'inherit',
    env: { ...process.env, WORLD: world },
  });
  await rm(world, { recursive: true, force: true });
  process.exit(done.status ?? 1);
}
const missing = whyNot();
if (missing !== null) {
  await rm(world, { recursive: true });
  process.stdout.write(`SKIPPED: the world like macOS: ${missing}\n`);
  process.exit(isRequired ? 1 : 0);
}
await makeWorld(world);
const { status } = spawnSync(
  'unshare',
  ['-m', '-p', '--fork', '--kill-child', 'bash', '-c', script],
  {
    stdio: 'inherit',
    env: {
      PATH: '/usr/bin:/bin',
      WORLD: world,
      REAL_NODE: node,
      ROWS: rows,
      ...(isRequired && { HOOKBELL_REQUIRE_SYSTEM: '1' }),
    },
  },
);
if (process.argv.includes('--record')) {
  const results = await readFile(join(world, 'results'), 'utf8');
  const found = [...results.matchAll(/^ +(not )?ok \d+ - (.*?)( # SKIP.*)?$/gm)];
  await recordRun(
    'macos',
    `Linux with Node 22, bash${bash3 === undefined ? '' : ' 3.2'} as /bin/sh`,
    {
      rows: found.map(([, failed, name = '', skipped]) => ({
        name: name.replaceAll('\\#', '#'),
        outcome: failed !== undefined ? 'failed' : skipped === undefined ? 'ok' : 'skipped',
      })),
      isWhole: true,
    },
  );
}
await rm(world, { recursive: true, force: true });
process.exit(status ?? 1);
