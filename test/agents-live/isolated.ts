import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';

/** Brings loopback up, then runs its words. It stays, as the first process: someone has to collect orphans that end. */
const script = 'busybox ip link set lo up && "$@"; exit $?';
const isInside = 'HOOKBELL_AGENTS_ISOLATED';

/** Whether this process was started by {@link runIsolated}. */
export function isIsolated(): boolean {
  return process.env[isInside] === '1';
}

/**
 * Runs this program again with loopback as the only network, so that no program can reach the internet. Its
 * processes are a namespace, too, so that the kernel ends all of them with it, whatever happens: daemons of agents as well.
 *
 * @param env added to its environment
 * @returns its exit code; 128 and the signal's number after SIGINT, SIGTERM or SIGHUP
 * @throws Error where the system does not allow it
 */
export async function runIsolated(env: Readonly<Record<string, string>>): Promise<number> {
  const apart = ['--net', '--pid', '--mount-proc', '--kill-child'];
  const words = [
    ...apart,
    ...(process.getuid?.() === 0 ? [] : ['--map-root-user']),
    '--',
    'sh',
    '-c',
    script,
    'sh',
  ];
  const tried = spawnSync('unshare', [...words, 'true'], { encoding: 'utf8' });
  if (tried.status !== 0) {
    const why = tried.error?.message ?? tried.stderr.trim();
    throw new Error(`Cannot keep agents off the network (needs unshare and busybox): ${why}`);
  }
  const child = spawn('unshare', [...words, process.execPath, ...process.argv.slice(1)], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...env, [isInside]: '1' },
  });
  let ended = 0;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      ended = 128 + constants.signals[signal];
      child.kill('SIGKILL');
    });
  }
  await once(child, 'close');
  return ended === 0 ? (child.exitCode ?? 1) : ended;
}
