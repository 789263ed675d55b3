import assert from 'node:assert/strict';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { farMount, isForeignShare } from '../../src/platform/far-mount.ts';
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
    assert.equal(farMount('//?/UNC/NAS/home/t.jsonl', { platform: 'win32' }), '\\\\nas\\home');
    assert.equal(farMount('C:\\Users\\t.jsonl', { platform: 'win32' }), null);
    assert.equal(farMount('/home/t.jsonl', { platform: 'darwin' }), null);
  });
});

test('isForeignShare() lets a Windows path name this machine and the shares of its person alone (T18)', () => {
  const chosen = ['C:\\Users\\anna', '\\\\NAS\\home\\anna\\hookbell'];
  const foreign = (paths: readonly string[]): readonly string[] =>
    paths.filter((path) => isForeignShare(path, chosen));
  const fine = [
    String.raw`C:\shop`,
    'c:/shop',
    String.raw`\shop`,
    '/home/anna',
    'shop',
    String.raw`\\?\C:\shop`,
    '//?/c:/shop',
    String.raw`\\?\Volume{0a1b2c3d-0000-0000-0000-100000000000}\shop`,
    String.raw`\\wsl.localhost\Debian\home`,
    String.raw`\\WSL$\Debian\home`,
    String.raw`\\?\UNC\wsl$\Debian\home`,
    String.raw`\\nas\home`,
    '//nas/Home/shop',
    String.raw`\\?\UNC\nas\home\shop`,
  ];
  assert.deepEqual(foreign(fine), []);
  const refused = [
    String.raw`\\evil\share\shop`,
    '//evil/share/shop',
    String.raw`\/evil/share`,
    String.raw`\\nas\other\shop`,
    String.raw`\\nas@SSL@8443\home\shop`,
    String.raw`\\wsl.localhost.evil\share\shop`,
    String.raw`\\?\UNC\evil\share\shop`,
    '//?/unc/evil/share/shop',
    String.raw`\\.\UNC\evil\share\shop`,
    String.raw`\\?\GLOBALROOT\Device\Mup\evil\share`,
    String.raw`\\.\pipe\evil`,
    String.raw`\??\UNC\evil\share`,
    '//?/C:/../UNC/evil/share',
    String.raw`\\?\UNC\wsl$\Debian\..\..\evil\share`,
    String.raw`\\wsl$\..\evil\share`,
    String.raw`\\\evil\share`,
    String.raw`\\evil`,
  ];
  assert.deepEqual(foreign(refused), refused);
});
