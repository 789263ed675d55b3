import { lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { posix, resolve } from 'node:path';

/** File systems that the kernel serves from this machine's own disks and memory. Any other may wait for a remote. */
const LOCAL_TYPES = new Set(
  (
    'apfs aufs bcachefs btrfs cgroup cgroup2 configfs debugfs devpts devtmpfs efivarfs erofs exfat ext2 ext3 ext4 f2fs ' +
    'hfsplus iso9660 jfs mqueue nilfs2 ntfs ntfs3 overlay proc ramfs reiserfs rootfs squashfs sysfs tmpfs ubifs udf vfat xfs zfs'
  ).split(' '),
);
const MOST_LINKS = 40;

export interface FarMountOptions {
  readonly platform?: NodeJS.Platform;
  /** As /proc/self/mountinfo; empty if unavailable. */
  readonly readMounts?: () => string;
  /** Mount points that count as local, whatever their type. */
  readonly except?: ReadonlySet<string>;
}

/**
 * The place where an absolute path leaves the file systems of this machine: the mount point of a network or FUSE file
 * system; null if it does not. Never accesses anything beyond that point, because a dead server blocks the process,
 * even against SIGKILL. Links are followed up to there.
 */
export function farMount(path: string, options: FarMountOptions = {}): string | null {
  const { platform = process.platform, readMounts = readMountInfo, except } = options;
  if (platform === 'win32') return shareOf(path);
  const far = platform === 'linux' ? farMountsIn(readMounts()) : new Set<string>();
  for (const mount of except ?? []) far.delete(mount);
  if (far.size === 0 && platform === 'linux') return null;
  const isFar = (place: string): boolean =>
    platform === 'linux' ? far.has(place) : /^\/(?:Volumes|Network|net)\/[^/]+$/.test(place);
  return follow(resolve(path), isFar);
}

function follow(path: string, isFar: (place: string) => boolean): string | null {
  if (isFar('/')) return '/';
  let rest = partsOf(path);
  let place = '/';
  for (let links = 0; rest.length > 0;) {
    const next = posix.join(place, rest[0] ?? '');
    if (isFar(next)) return next;
    const target = linkAt(next);
    if (target === 'missing') return null;
    rest = rest.slice(1);
    if (target === 'none') {
      place = next;
      continue;
    }
    links += 1;
    if (links > MOST_LINKS) return null;
    rest = [...partsOf(posix.resolve(place, target.to)), ...rest];
    place = '/';
  }
  return null;
}

function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '');
}

function linkAt(path: string): 'missing' | 'none' | { readonly to: string } {
  try {
    return lstatSync(path).isSymbolicLink() ? { to: readlinkSync(path) } : 'none';
  } catch {
    return 'missing';
  }
}

/** A mount over a mount hides it: the last line of a place counts. */
function farMountsIn(mountInfo: string): Set<string> {
  const far = new Set<string>();
  for (const line of mountInfo.split('\n')) {
    const [before = '', after = ''] = line.split(' - ');
    const place = unescapeMount(before.split(' ')[4] ?? '');
    if (place === '') continue;
    if (LOCAL_TYPES.has(after.split(' ')[0] ?? '')) far.delete(place);
    else far.add(place);
  }
  return far;
}

/** Blanks and the like are written as three octal digits. */
function unescapeMount(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_all, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}

function readMountInfo(): string {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8');
  } catch {
    return '';
  }
}

/** "\\server\share" of a path on a share, in lower case; a mapped drive letter cannot be distinguished from a disk. */
function shareOf(path: string): string | null {
  const found = /^[\\/]{2}(?:[?.][\\/]UNC[\\/])?([^\\/?.][^\\/]*)[\\/]([^\\/]+)/i.exec(path);
  return found === null ? null : `\\\\${found[1]}\\${found[2]}`.toLowerCase();
}

/**
 * Whether a Windows path leads to a device, or to a share that no path of this user is on: Windows sends a share's host the
 * user's credentials. A disk by its long name ("\\?\C:\…") and the shares of WSL are on this machine.
 * https://learn.microsoft.com/windows/win32/fileio/naming-a-file
 */
export function isForeignShare(path: string, chosen: readonly string[]): boolean {
  if (!/^[\\/](?:[\\/]|\?\?)/.test(path)) return false;
  // Windows resolves ".." after a prefix in some forms, and so leaves the disk or share that it names.
  if (/[\\/]\.\./.test(path)) return true;
  if (/^[\\/]{2}\?[\\/](?:[a-z]:|Volume\{[\da-f-]+\})[\\/]/i.test(path)) return false;
  const share = shareOf(path);
  if (share === null) return true;
  return !/^\\\\wsl(?:\.localhost|\$)\\/.test(share) && !chosen.map(shareOf).includes(share);
}
