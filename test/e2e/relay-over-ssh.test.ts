import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { until } from '../support/hookbell-home.ts';
import { question, relayPair } from '../support/relay-pair.ts';
import { sshPrograms, startSshd } from '../support/ssh-forward.ts';
import { needs } from '../support/system-part.ts';

test(
  'events of a server come home through a socket that ssh -R forwards, and wait while no client is connected',
  { skip: needs(...sshPrograms) },
  async () => {
    await using both = await relayPair();
    const { home, remote, socket } = both;
    const keys = join(remote.home, 'ssh');
    await mkdir(keys);
    await using ssh = await startSshd(keys);
    const forwarded = join(remote.home, 'far.sock');
    await home.start();
    await remote.start();

    await ssh.connect(forwarded, socket);
    const paired = await both.pair('server', forwarded);
    await remote.hook(question('s1'));
    await until(async () => (await home.lines()).length === 1);
    await ssh.disconnect();
    await remote.hook(question('s2'));
    await until(async () => (await remote.ask('GET /v1/status')).relay?.waiting === 1);
    await ssh.connect(forwarded, socket);
    await until(async () => (await home.lines()).length === 2, 60_000);

    assert.match(paired.stderr, /knows this machine as "server"/);
    assert.deepEqual(
      (await home.lines()).map(({ sessionId }) => sessionId),
      ['s1', 's2'],
    );
  },
);
