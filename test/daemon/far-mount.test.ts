import assert from 'node:assert/strict';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { farMount } from '../../src/platform/far-mount.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

function mountInfo(...mounts: readonly (readonly [place: string, type: string])[]): string {
  return mounts
    .map(([place, type], at) => `${at} 1 0:${at} / ${place} rw,relatime shared:1 - ${type} x rw\n`)
    .join('');
}

/** Of "/mnt/a". */
function far(mounts: string, except: readonly string[] = []): string | null {
  return farMount('/mnt/a', {
    platform: 'linux',
    readMounts: () => mounts,
    except: new Set(except),
  });
}

describe('farMount() (A2)', () => {
  test('names the first mount of another kind on the way, by whatever links', async () => {
    await using directory = await temporaryDirectory();
    const { path } = directory;
    const share = join(path, 'my share');
    await mkdir(join(path, 'near'));
    await symlink('../my share/docs', join(path, 'near', 'link'));
    await symlink(join(path, 'near', 'link'), join(path, 'again'));
    await symlink('loop', join(path, 'loop'));
    const mounts = mountInfo(['/', 'ext4'], [share.replaceAll(' ', '\\040'), 'fuse.sshfs']);
    const mountOf = (to: string): string | null =>
      farMount(to, { platform: 'linux', readMounts: () => mounts });

    assert.deepEqual(
      [join(share, 'a/b'), share, join(path, 'near/link/t.jsonl'), join(path, 'again/x')].map(
        mountOf,
      ),
      [share, share, share, share],
    );
    assert.deepEqual(
      [path, join(path, 'near'), join(path, 'missing/x'), join(path, 'loop/x'), `${share}x`].map(
        mountOf,
      ),
      [null, null, null, null, null],
    );
  });

  test('counts the mount on top, and not those that are excepted', () => {
    assert.equal(far(mountInfo(['/mnt', 'nfs4'], ['/mnt', 'tmpfs'])), null);
    assert.equal(far(mountInfo(['/mnt', 'tmpfs'], ['/mnt', 'nfs4'])), '/mnt');
    assert.equal(far(mountInfo(['/', 'nfs4'])), '/');
    assert.equal(far(mountInfo(['/mnt', 'nfs4']), ['/mnt']), null);
    assert.equal(far(''), null);
  });

  test('knows shares by their names without a list of mounts', () => {
    assert.equal(farMount('\\\\nas\\home\\t.jsonl', { platform: 'win32' }), '\\\\nas\\home');
    assert.equal(farMount('C:\\Users\\t.jsonl', { platform: 'win32' }), null);
    assert.equal(farMount('/home/t.jsonl', { platform: 'darwin' }), null);
  });
});
