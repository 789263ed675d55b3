import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { type HookbellHome, hookbellHome, projectRoot, until } from '../support/hookbell-home.ts';
import { inPrivateMounts, needsPrivateMounts } from '../support/private-mounts.ts';
import { question, withInput } from '../support/relay-pair.ts';

const FOLDER = '/mnt/c/Windows/System32/WindowsPowerShell/v1.0';
const SCRIPT = `mount -t tmpfs tmpfs /mnt && mkdir -p ${FOLDER} && cp "$1" ${FOLDER}/powershell.exe && shift && exec "$@"`;

/** A world like WSL: the disk of Windows below /mnt/c, and a PowerShell that records; PATH names nothing of Windows. */
async function startInWsl(place: HookbellHome, record: string): Promise<ChildProcess> {
  const program = join(place.home, 'powershell');
  await writeFile(program, `#!/bin/sh\ncat >>'${record}'\n`);
  await chmod(program, 0o755);
  const [command = '', ...words] = inPrivateMounts(SCRIPT);
  const daemon = join(projectRoot, 'dist/program/daemon.js');
  const child = spawn(command, [...words, program, process.execPath, daemon], {
    env: { ...place.env, PATH: '/usr/bin:/bin', WSL_DISTRO_NAME: 'Debian' },
    stdio: 'ignore',
  });
  await until(() =>
    place.ask('GET /v1/status').then(
      () => true,
      () => false,
    ),
  );
  return child;
}

async function toasts(record: string): Promise<readonly string[]> {
  const text = await readFile(record, 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line.includes('"show"'));
}

test(
  'WSL shows toasts by Windows without its folders in PATH, and beside a daemon on Windows each event once',
  { skip: needsPrivateMounts() },
  async () => {
    await using wsl = await hookbellHome({ folder: 'wsl' });
    await using windows = await hookbellHome({ folder: 'windows' });
    const [atWsl, atWindows] = [join(wsl.home, 'shown'), join(windows.home, 'shown')];
    for (const place of [wsl, windows]) {
      await place.writeConfig(
        `channels: { screen: { type: desktop } }\nroutes: [{ notify: screen }]\nlisten: {}\n`,
      );
    }
    const daemons = [await startInWsl(wsl, atWsl), await startInWsl(windows, atWindows)];
    try {
      await wsl.hook(question('in-wsl'));
      await until(async () => (await toasts(atWsl)).length === 1);
      await windows.hook(question('on-windows'));
      await until(async () => (await toasts(atWindows)).length === 1);

      // Paired, all arrive at one side: that in WSL.
      const offer = await wsl.cli('remote', 'pair', 'windows');
      const to = join(wsl.paths.runtime, 'relay.sock');
      await withInput(windows, offer.stdout, ['remote', 'pair', '--to', to]);
      await windows.hook(question('paired'));
      await until(async () => (await toasts(atWsl)).length === 2);

      const { decisions } = await windows.ask('GET /v1/events', { part: 'last' });
      assert.equal(decisions.at(-1)?.stage, 'relay');
      assert.equal((await toasts(atWindows)).length, 1);
    } finally {
      for (const daemon of daemons) {
        daemon.kill();
        if (daemon.exitCode === null && daemon.signalCode === null) await once(daemon, 'exit');
      }
    }
  },
);
