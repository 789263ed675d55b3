import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { test } from 'node:test';

import { startMock } from '../../support/reference-service/reference-server.ts';
import { until } from '../../support/until.ts';
import { ask, openMock } from './ask.ts';

test('startMock() listens on two ports of the loopback only', async () => {
  await using mock = await openMock();

  assert.match(mock.baseUrl, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.match(mock.appUrl, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.notEqual(mock.baseUrl, mock.appUrl);
});

for (const effect of [
  { kind: 'hang' },
  { kind: 'stall' },
  { kind: 'latency', ms: 3_600_000 },
  { kind: 'drip', ms: 3_600_000 },
] as const) {
  test(`close() ends a request that meets ${effect.kind}, and twice is as good as once`, async () => {
    const mock = await openMock({ faults: [{ effect }] });
    const asked = ask(mock, '/api/v0/computers').then(
      () => 'answered',
      () => 'broken',
    );
    await until(() => mock.requests().length === 1);

    await mock.close();
    await mock.close();

    assert.equal(await asked, 'broken');
    await assert.rejects(ask(mock, '/api/v0/computers'));
  });
}

test('startMock() rejects when the second port is taken, and leaves the first one closed', async () => {
  const [taken, free] = [createServer(), createServer()];
  taken.listen(0, '127.0.0.1');
  free.listen(0, '127.0.0.1');
  await Promise.all([once(taken, 'listening'), once(free, 'listening')]);
  const ports = { base: portOf(free), app: portOf(taken) };
  free.close();
  await once(free, 'close');

  await assert.rejects(startMock({ now: 0, ports }), { code: 'EADDRINUSE' });

  const again = createServer().listen(ports.base, '127.0.0.1');
  await once(again, 'listening');
  again.close();
  taken.close();
});

test('The clock stands still unless moved, and follows a clock it was given', async () => {
  let time = Date.UTC(2026, 4, 1);
  await using still = await openMock();
  await using running = await openMock({ now: () => time });

  time += 5_000;
  running.clock.advance(1_000);
  still.clock.set(7);

  assert.equal(running.clock.now(), Date.UTC(2026, 4, 1) + 6_000);
  assert.equal(still.clock.now(), 7);
});

function portOf(server: ReturnType<typeof createServer>): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('It does not listen');
  return address.port;
}

test('requests() remembers the last ones, and goes on counting', async () => {
  await using mock = await openMock({ remembered: 3 });

  for (let turn = 0; turn < 5; turn += 1) await ask(mock, '/nothing', { key: null });

  assert.deepEqual(
    mock.requests().map(({ number }) => number),
    [3, 4, 5],
  );
});
