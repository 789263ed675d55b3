import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { type Finished, runProcess } from './run-process.ts';
import { needs } from './system-part.ts';

/**
 * Mounts this machine's files with a layer in memory above them, at "$1/root": programs change what they like, and nothing of it
 * remains. The layer, "$1/layer", holds exactly what they have changed.
 */
const MOUNT = `set -e
mount -t tmpfs -o mode=755 tmpfs "$1"
mkdir "$1/layer" "$1/work" "$1/root"
mount -t overlay -o "lowerdir=/,upperdir=$1/layer,workdir=$1/work" overlay "$1/root"
`;

/** Shows a file or directory of this machine at another path: nothing has to be copied. */
const BRING = `bring() {
  mkdir -p "$root$(dirname "$1")"
  if [ -d "$2" ]; then mkdir -p "$root$1"; else : >"$root$1"; fi
  mount --bind "$2" "$root$1"
}
root=$1/root
`;

/** The reason to skip a test that needs a disposable root, or false. Only root may mount, and not in every container. */
export function needsDisposableRoot(...programs: readonly string[]): string | false {
  const missing = needs('unshare', 'mount', 'chroot', 'setpriv', ...programs);
  if (missing !== false) return missing;
  const script = `d=$(mktemp -d) && sh -c '${MOUNT}' sh "$d"; s=$?; umount -l "$d"; rmdir "$d"; exit $s`;
  const probe = spawnSync('unshare', ['--mount', '--propagation', 'private', 'sh', '-c', script]);
  if (probe.status === 0) return false;
  const reason = 'needs the right to mount an overlay of the root directory (root)';
  if (process.env['HOOKBELL_REQUIRE_SYSTEM'] === '1') throw new Error(`This test ${reason}`);
  return reason;
}

/**
 * Runs a script by `sh -e`, as root, in a copy of this machine, in which processes see only each other and are ended with it.
 * What it has changed is in "/changed" of the copy.
 *
 * @param options.place an empty directory, in which the copy is mounted
 * @param options.bring files and directories of this machine by their absolute path in the copy
 * @param options.isOffline leaves loopback as the only network, which needs busybox
 */
export async function inDisposableRoot({
  place,
  script,
  bring,
  isOffline = false,
}: {
  readonly place: string;
  readonly script: string;
  readonly bring: Readonly<Record<string, string>>;
  readonly isOffline?: boolean;
}): Promise<Finished> {
  const inside = join(place, 'inside.sh');
  await writeFile(inside, script);
  const mounts = Object.entries({ ...bring, '/inside.sh': inside }).map(
    ([path, file]) => `bring '${path}' '${file}'\n`,
  );
  const outside = `${MOUNT}${BRING}${mounts.join('')}mkdir -p "$1/root/changed"
mount --bind "$1/layer" "$1/root/changed"
mount -t proc proc "$1/root/proc"
mount --rbind /dev "$1/root/dev"
${isOffline ? 'busybox ip link set lo up\n' : ''}exec chroot "$1/root" sh -e /inside.sh
`;
  const apart = isOffline ? ['--net'] : [];
  const unshare = [
    ...apart,
    '--mount',
    '--pid',
    '--fork',
    '--kill-child',
    '--propagation',
    'private',
  ];
  const mounted = join(place, 'mounted');
  return runProcess(
    'unshare',
    [...unshare, 'sh', '-c', `mkdir '${mounted}'; ${outside}`, 'sh', mounted],
    {
      env: {
        PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
        LANG: 'C.UTF-8',
      },
    },
  );
}
