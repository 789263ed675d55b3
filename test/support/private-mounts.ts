import { spawnSync } from 'node:child_process';

import { needs } from './system-part.ts';

/** The reason to skip a test that mounts file systems, or false. Only root may mount, and not in every container. */
export function needsPrivateMounts(): string | false {
  const missing = needs('unshare', 'mount', 'setpriv');
  if (missing !== false) return missing;
  const probe = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']);
  return probe.status === 0 ? false : 'needs the right to mount (root)';
}

/** The words that run `script` with mounts that no other process sees; `"$@"` in it are the words that follow. */
export function inPrivateMounts(script: string): readonly string[] {
  return ['unshare', '--mount', 'sh', '-c', script, 'sh'];
}
