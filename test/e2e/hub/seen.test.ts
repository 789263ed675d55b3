import assert from 'node:assert/strict';
import { test } from 'node:test';

import { permissionRequest } from '../../support/asking-hook.ts';
import { until } from '../../support/hookbell-home.ts';
import { hubPair } from '../../support/hub-scene.ts';
import { needsPostgres } from '../../support/postgres.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';

test(
  'what a person acknowledges while the hub is away is acknowledged there later, also after a restart; a later alert stays open',
  { skip: needsPostgres() },
  async () => {
    await using pair = await hubPair();
    await using proxy = await startTcpProxy(pair.ports[0]);
    const to = `http://127.0.0.1:${proxy.port}`;
    const machine = await pair.machine('ada-laptop', 'ada@example.com', to);
    await machine.start();
    const asks = (session: string) => machine.hook({ ...permissionRequest, session_id: session });
    const stateOf = async (session: string) =>
      (await pair.hubs[1].ask('GET /v1/alerts')).find((alert) => alert.session.endsWith(session))
        ?.state;
    await asks('session-a');
    await asks('session-b');
    await until(async () => (await stateOf('session-b')) === 'open');

    proxy.cut();
    assert.equal((await machine.cli('ack', '--all')).code, 0);
    await asks('session-c');
    await until(async () => (await machine.ask('GET /v1/status')).relay?.waiting === 1);
    await machine.killDaemon();
    await machine.start();
    proxy.mend();

    for (const session of ['session-a', 'session-b']) {
      await until(async () => (await stateOf(session)) === 'acknowledged', 60_000);
    }
    await until(async () => (await stateOf('session-c')) !== undefined, 60_000);
    assert.equal(await stateOf('session-c'), 'open');
  },
);
