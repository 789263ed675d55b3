import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';

import { freePort } from './free-port.ts';
import { projectRoot, until } from './hookbell-home.ts';
import type { HubTeam } from './hub-team.ts';
import { temporaryDirectory } from './temporary-directory.ts';

export interface HaproxyInFront extends AsyncDisposable {
  readonly port: number;
}

/** The real HAProxy in front of a hub, with the configuration that is shipped; only addresses are those of the test. */
export async function startHaproxy(team: HubTeam): Promise<HaproxyInFront> {
  const directory = await temporaryDirectory();
  const port = await freePort();
  const shipped = await readFile(join(projectRoot, 'packaging/hub/haproxy.cfg'), 'utf8');
  const text = shipped
    .replace('bind :8443', `bind 127.0.0.1:${port}`)
    .replace('hub-1:8443', `127.0.0.1:${team.one.port}`)
    .replace('hub-2:8443', `127.0.0.1:${team.other.port}`);
  await writeFile(join(directory.path, 'haproxy.cfg'), text);
  await copyFile(team.certificate, join(directory.path, 'hub.pem'));
  await copyFile(team.key, join(directory.path, 'hub.pem.key'));
  await copyFile(team.certificate, join(directory.path, 'hub-ca.pem'));
  // Quiet, or it reports each change of a hub.
  const child = spawn('haproxy', ['-q', '-db', '-f', 'haproxy.cfg'], {
    cwd: directory.path,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await until(() => {
    if (child.exitCode !== null) throw new Error(`HAProxy ended with ${child.exitCode}`);
    return isOpen(port);
  });
  return {
    port,
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      if (child.exitCode === null) await ended;
      await directory[Symbol.asyncDispose]();
    },
  };
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
