import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { describe, test } from 'node:test';

import { identityOf } from '../../hooks/pid-file.ts';
import { findDaemon, stopDaemon } from '../../src/control/stop-daemon.ts';
import type { Paths } from '../../src/core/paths.ts';
import { resolvePaths } from '../../src/core/paths.ts';
import { DaemonUnreachableError, FailedError } from '../../src/platform/errors.ts';
import { callDaemon } from '../../src/control/control-client.ts';
import { commandLine } from '../support/command-line.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

async function placeOf(directory: string): Promise<Pick<Paths, 'pidFile'> & Paths> {
  return resolvePaths({ HOOKBELL_STATE_DIR: directory }, process.platform, directory);
}

/** A process that stands for a daemon, with its file. */
async function sleeper(pidFile: string) {
  const child = spawn(process.execPath, ['-e', 'console.log(1); setInterval(() => {}, 1000)'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(child.stdout, 'data');
  const { pid, boot, start } = identityOf(child.pid ?? 0);
  await writeFile(pidFile, `${pid} ${boot} ${start}\n`);
  return {
    child,
    pid,
    [Symbol.dispose]: () => void child.kill('SIGKILL'),
  };
}

const unreachable = () => Promise.reject(new DaemonUnreachableError('Cannot reach the daemon'));

describe('findDaemon()', () => {
  test('finds none where none answers, and passes on what a daemon says', async () => {
    const full = new FailedError('The store is full');

    assert.equal(await findDaemon({ ask: unreachable }), null);
    await assert.rejects(findDaemon({ ask: () => Promise.reject(full) }), full);
  });
});

describe('stopDaemon()', () => {
  test('stops nothing where none runs, also if its file is left', async () => {
    await using directory = await temporaryDirectory();
    const paths = await placeOf(directory.path);

    assert.equal(await stopDaemon({ ask: unreachable, paths }), null);
    const ended = spawn('true');
    await once(ended, 'exit');
    await writeFile(paths.pidFile, `${ended.pid} a-boot 1\n`);
    assert.equal(await stopDaemon({ ask: unreachable, paths }), null);
  });

  test('asks the daemon to end, and waits until it is gone', async () => {
    await using cli = await commandLine();
    await cli.serve({
      'POST /v1/stop': () => {
        daemon.child.kill('SIGTERM');
        return Promise.resolve({ pid: daemon.pid });
      },
    });
    using daemon = await sleeper(cli.paths.pidFile);
    const { paths } = cli;

    const pid = await stopDaemon({ ask: (name, call) => callDaemon(paths, name, call), paths });

    assert.equal(pid, daemon.pid);
    assert.equal(daemon.child.signalCode, 'SIGTERM');
  });

  test('ends a daemon that does not answer by a signal, and says so', async () => {
    await using directory = await temporaryDirectory();
    const paths = await placeOf(directory.path);
    using daemon = await sleeper(paths.pidFile);
    const ended = once(daemon.child, 'exit');
    await using cli = await commandLine();

    const { code, stderr } = await cli.run(['stop'], {
      env: { HOOKBELL_STATE_DIR: directory.path },
    });

    await ended;
    assert.equal(code, 0, stderr);
    assert.equal(daemon.child.signalCode, 'SIGTERM');
    assert.match(
      stderr,
      new RegExp(`\\(pid ${daemon.pid}\\) does not answer or end: sending it SIGTERM`),
    );
  });

  test('passes on that a daemon refuses to stop', async () => {
    await using cli = await commandLine();
    const { paths } = cli;
    await cli.serve({
      'POST /v1/stop': () => Promise.reject(new FailedError('Not now')),
    });

    const stopped = stopDaemon({ ask: (name, call) => callDaemon(paths, name, call), paths });

    await assert.rejects(stopped, new FailedError('Not now'));
  });
});
