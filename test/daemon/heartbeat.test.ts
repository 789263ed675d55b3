import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { Log } from '../../src/platform/log.ts';
import { createHeartbeat } from '../../src/daemon/heartbeat.ts';
import { openHttpEndpoint } from '../support/http-endpoint.ts';
import { createOutbound } from '../../src/platform/outbound/outbound.ts';

const NOW = Date.parse('2026-03-01T10:00:00.000Z');

function heartbeatTo(url: string, { timeoutMs = 5_000 } = {}) {
  const logged: string[] = [];
  const write = (fields: object, sentence: string): void => {
    logged.push(JSON.stringify({ ...fields, sentence }));
  };
  const log: Log = { debug: write, info: write, warn: write, error: write };
  const heartbeat = createHeartbeat({
    config: { heartbeat: { url: { env: 'HEARTBEAT' }, everyMs: 60_000 } },
    readSecret: async () => url,
    outbound: createOutbound({ env: {} }),
    now: () => NOW,
    log,
    timeoutMs,
  });
  return { heartbeat, logged };
}

describe('createHeartbeat()', () => {
  test('asks for its address at the start, and says when it did', async () => {
    await using endpoint = await openHttpEndpoint();
    const { heartbeat } = heartbeatTo(`${endpoint.url}/ping/token`);
    const asked = endpoint.nextRequest();

    heartbeat.start();
    const { method, path, body } = await asked;
    await heartbeat.beat();

    assert.deepEqual([method, path, body], ['GET', '/ping/token', '']);
    assert.deepEqual(heartbeat.state(), {
      everyMs: 60_000,
      lastAt: '2026-03-01T10:00:00.000Z',
      reason: null,
    });
    await heartbeat.stop();
  });

  test('says once why it fails and once that it works again, and never its address (T12)', async () => {
    await using endpoint = await openHttpEndpoint();
    endpoint.answer({ status: 500 }, { status: 302 }, 'reset', { status: 200 });
    const { heartbeat, logged } = heartbeatTo(`${endpoint.url}/ping/token`);

    const reasons: (string | null | undefined)[] = [];
    for (let beat = 0; beat < 4; beat += 1) {
      await heartbeat.beat();
      reasons.push(heartbeat.state()?.reason);
    }

    assert.deepEqual(reasons, [
      'it answered 500',
      'it answered 302',
      'no connection: ECONNRESET',
      null,
    ]);
    assert.equal(logged.length, 2);
    assert.doesNotMatch(logged.join('\n') + reasons.join('\n'), /token|127\.0\.0\.1/);
  });

  test('gives up on an address that does not respond, and immediately when the daemon stops', async () => {
    await using endpoint = await openHttpEndpoint();
    endpoint.answer('silence');
    const slow = heartbeatTo(endpoint.url, { timeoutMs: 50 });
    const stopped = heartbeatTo(endpoint.url, { timeoutMs: 3_600_000 });

    await slow.heartbeat.beat();
    const asked = endpoint.nextRequest();
    stopped.heartbeat.start();
    await asked;
    await stopped.heartbeat.stop();

    assert.equal(slow.heartbeat.state()?.reason, 'no answer in time');
  });

  for (const url of [
    'http://example.com/ping',
    'ftp://127.0.0.1/ping',
    'http://127.0.0.1.example.com/',
    'x',
  ]) {
    test(`makes no request to ${JSON.stringify(url)}`, async () => {
      const { heartbeat } = heartbeatTo(url);

      await heartbeat.beat();

      assert.match(heartbeat.state()?.reason ?? '', /neither https nor on this machine/);
    });
  }

  test('does nothing where none is configured, and begins when one is', async () => {
    await using endpoint = await openHttpEndpoint();
    const { heartbeat } = heartbeatTo(endpoint.url);
    heartbeat.reconfigure({ heartbeat: null });
    heartbeat.start();
    await heartbeat.beat();
    assert.deepEqual([heartbeat.state(), endpoint.requests.length], [null, 0]);
    const asked = endpoint.nextRequest();

    heartbeat.reconfigure({ heartbeat: { url: 'elsewhere', everyMs: 1_000 } });

    await asked;
    await heartbeat.stop();
  });
});
