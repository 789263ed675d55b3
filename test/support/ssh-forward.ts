import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, lstat, mkdir, rm, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';

import { freePort } from './free-port.ts';
import { until } from './hookbell-home.ts';
import { runProcess } from './run-process.ts';

/** A real sshd on loopback, for us alone, and a real client that forwards a socket to it. */
export interface SshForward extends AsyncDisposable {
  /** `ssh -N -R REMOTE:LOCAL`; answers once the remote socket is there. */
  connect(remote: string, local: string): Promise<void>;
  /** The connection breaks. */
  disconnect(): Promise<void>;
}

/** What it needs on the machine. */
export const sshPrograms = ['/usr/sbin/sshd', 'ssh', 'ssh-keygen'] as const;

/** @param directory for keys and configuration; no other user may write above it */
export async function startSshd(directory: string): Promise<SshForward> {
  const path = process.env['PATH'] ?? '';
  const port = await freePort();
  const file = (name: string): string => join(directory, name);
  for (const name of ['host', 'client']) {
    await runProcess('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file(name)], {
      env: { PATH: path },
    });
  }
  await writeFile(
    file('sshd_config'),
    `Port ${port}
ListenAddress 127.0.0.1
HostKey ${file('host')}
AuthorizedKeysFile ${file('client.pub')}
PidFile ${file('sshd.pid')}
StrictModes no
UsePAM no
StreamLocalBindUnlink yes
StreamLocalBindMask 0177
`,
  );
  await chmod(directory, 0o700);
  // What sshd asks for when root starts it; other systems make it when they start.
  if (process.geteuid?.() === 0) await mkdir('/run/sshd', { recursive: true, mode: 0o755 });
  const server = spawn('/usr/sbin/sshd', ['-D', '-f', file('sshd_config')], { stdio: 'ignore' });
  let client: ChildProcess | null = null;

  async function disconnect(): Promise<void> {
    if (client !== null) await end(client);
    client = null;
  }

  return {
    async connect(remote, local) {
      await rm(remote, { force: true });
      const options = [
        'StrictHostKeyChecking=no',
        `UserKnownHostsFile=${file('known')}`,
        'ExitOnForwardFailure=yes',
        'ConnectionAttempts=20',
      ];
      const words = ['-F', 'none', '-i', file('client'), '-p', String(port), '-N'];
      words.push(...options.flatMap((option) => ['-o', option]));
      words.push('-R', `${remote}:${local}`, `${userInfo().username}@127.0.0.1`);
      client = spawn('ssh', words, { stdio: 'ignore', env: { PATH: path } });
      await until(() =>
        lstat(remote)
          .then((found) => found.isSocket())
          .catch(() => false),
      );
    },
    disconnect,
    async [Symbol.asyncDispose]() {
      await disconnect();
      await end(server);
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
