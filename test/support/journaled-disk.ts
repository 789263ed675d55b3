import { execFile } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { chmod, rm, rmdir, truncate, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

import { until } from './hookbell-home.ts';
import { needsMount } from './small-file-system.ts';
import { needs } from './system-part.ts';

const run = promisify(execFile);

/** An ext4 file system in an image file, whose power can be cut. */
export interface JournaledDisk extends AsyncDisposable {
  readonly path: string;
  /**
   * From now on nothing reaches the image, neither what was written before without being synced nor what the journal
   * still holds in memory; reads and writes fail with EIO. What a cache inside the disk would lose is not lost here.
   */
  cutPower(): Promise<void>;
  /** Finds an error in itself, as a kernel does: aborts the journal and becomes read-only. */
  failJournal(): Promise<void>;
  /** Ends the processes that are in it, checks it and mounts it again, as a machine does that starts. */
  startAgain(): Promise<void>;
}

/** Mounts one on a directory; it is gone at the end of an `await using` block, and the image with it. */
export async function mountJournaled(
  path: string,
  { image, megabytes }: { readonly image: string; readonly megabytes: number },
): Promise<JournaledDisk> {
  await writeFile(image, '');
  await truncate(image, megabytes * 1024 * 1024);
  await run('mkfs.ext4', ['-q', '-E', 'lazy_itable_init=0,lazy_journal_init=0', image]);

  const images = [image];

  async function mount(): Promise<void> {
    await run('mount', ['-o', 'loop,errors=remount-ro', images.at(-1) ?? image, path]);
  }

  async function unmount(): Promise<void> {
    const ended = new Set<number>();
    await until(async () => {
      for (const pid of processesIn(path)) {
        end(pid);
        ended.add(pid);
      }
      return run('umount', [path]).then(
        () => true,
        () => !isMounted(path),
      );
    });
    // After a boot their numbers mean nothing: none may be left as a zombie, which looks alive to a shell.
    await until(() => [...ended].every((pid) => !existsSync(`/proc/${pid}`)));
  }

  await mount();
  await rmdir(join(path, 'lost+found'));
  await chmod(path, 0o700);
  await run('sync', ['-f', path]);
  return {
    path,
    async cutPower() {
      const shutdown = `open my $dir, "<", $ARGV[0] or die $!; my $no_flush = pack "L", 2;
        ioctl $dir, 0x8004587d, $no_flush or die $!`;
      await run('perl', ['-e', shutdown, path]);
    },
    async failJournal() {
      const { stdout } = await run('findmnt', ['-n', '-o', 'SOURCE', path]);
      await writeFile(`/sys/fs/ext4/${basename(stdout.trim())}/trigger_fs_error`, 'a test');
    },
    async startAgain() {
      await unmount();
      // A copy, since other namespaces of mounts may hold the file system: mounted again, the image would be as dead.
      const next = `${image}.${images.length}`;
      await run('cp', ['--sparse=always', images.at(-1) ?? image, next]);
      images.push(next);
      // 1: what it found is repaired.
      await run('e2fsck', ['-p', next]).catch((error: unknown) => {
        if (!(error instanceof Error && 'code' in error && error.code === 1)) throw error;
      });
      await mount();
    },
    async [Symbol.asyncDispose]() {
      if (isMounted(path)) await unmount();
      for (const each of images) await rm(each, { force: true });
    },
  };
}

/** The reason to skip a test that mounts one, or false. */
export function needsJournaled(): string | false {
  const missing = needsMount() || needs('mkfs.ext4', 'e2fsck', 'perl', 'findmnt');
  if (missing !== false) return missing;
  return existsSync('/dev/loop-control') ? false : 'needs loop devices';
}

function isMounted(path: string): boolean {
  return readFileSync('/proc/self/mountinfo', 'utf8').includes(` ${path} `);
}

/** Processes that work in it or have a file of it open: all belong to the test that made it. */
function processesIn(path: string): readonly number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => pid !== process.pid && isIn(pid, path));
}

function isIn(pid: number, path: string): boolean {
  try {
    const files = readdirSync(`/proc/${pid}/fd`).map((name) => `/proc/${pid}/fd/${name}`);
    return [`/proc/${pid}/cwd`, ...files].some((link) => {
      const target = linkTarget(link);
      return target === path || target.startsWith(`${path}/`);
    });
  } catch {
    return false;
  }
}

function linkTarget(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return '';
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended in between.
  }
}
