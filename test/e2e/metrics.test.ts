import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { fetch } from 'undici';

import { startMock } from '../support/reference-service/reference-server.ts';
import { readExposition } from '../support/exposition-grammar.ts';
import { freePort } from '../support/free-port.ts';
import { hookbellHome, until } from '../support/hookbell-home.ts';
import { runProcess } from '../support/run-process.ts';
import { needs } from '../support/system-part.ts';

/** Nothing of it may be among the numbers. */
const PRIVATE = ['SEEDED', 'shop-of-mine', 's-4711', '/home/dev'];

describe('hookbell daemon metrics', () => {
  test('reports events, their outcomes and the state of the daemon, but no text from agents', async () => {
    await using mock = await startMock({ now: Date.now });
    await using place = await hookbellHome();
    await place.writeConfig(`
channels: { log: { type: file, path: ${join(place.home, 'told')} } }
api: { base_url: ${mock.baseUrl}, key: ${mock.keys.owner} }
`);
    await place.start();
    const payload = { session_id: 's-4711', cwd: '/home/dev/shop-of-mine' };
    for (const message of ['SEEDED one', 'SEEDED two']) {
      const notification = { ...payload, hook_event_name: 'Notification', message };
      await place.hook(notification, ['--agent', 'droid']);
    }
    await until(async () => (await place.ask('GET /v1/status')).deliveries.sent >= 2);

    const { code, stdout, stderr } = await place.cli('daemon', 'metrics');
    const json = await place.cli('daemon', 'metrics', '--json');

    assert.deepEqual([code, stderr], [0, '']);
    const families = readExposition(stdout);
    const value = (name: string, labels: object): number | undefined =>
      families
        .flatMap(({ samples }) => samples)
        .find(
          (sample) =>
            sample.name === name &&
            JSON.stringify(Object.fromEntries(sample.labels)) === JSON.stringify(labels),
        )?.value;
    const event = { agent: 'droid', kind: 'needs.input' };
    const sent = { channel: 'log', outcome: 'delivered' };
    assert.equal(value('hookbell_events_total', event), 2);
    assert.ok((value('hookbell_delivery_attempts_total', sent) ?? 0) >= 1);
    assert.equal(value('hookbell_alerts', { state: 'open' }), 1);
    assert.equal(value('hookbell_events', {}), 2);
    assert.equal(value('hookbell_channel_state', { channel: 'log', type: 'file', state: 'ok' }), 1);
    assert.ok((value('hookbell_disk_free_bytes', {}) ?? 0) > 0);
    assert.ok((value('hookbell_delivery_latency_seconds_count', { channel: 'log' }) ?? 0) >= 1);
    assert.ok((value('hookbell_api_requests_total', { code: '4xx' }) ?? 0) >= 1);
    for (const text of [...PRIVATE, mock.keys.owner]) {
      assert.ok(!`${stdout}${json.stdout}`.includes(text), text);
    }
  });

  test('pass the linter of Prometheus', { skip: needs('promtool') }, async () => {
    await using place = await hookbellHome();
    await place.start();
    const payload = { session_id: 's1', cwd: '/home/dev/shop', tool_name: 'Bash', tool_input: {} };
    for (const name of ['PermissionRequest', 'PostToolUse']) {
      await place.hook({ ...payload, hook_event_name: name }, ['--agent', 'claude']);
    }
    await until(async () => (await place.ask('GET /v1/waiting')).asked.count === 1);
    const { stdout } = await place.cli('daemon', 'metrics');

    const checked = await runProcess('promtool', ['check', 'metrics'], {
      env: { PATH: process.env['PATH'] ?? '' },
      input: stdout,
    });

    assert.match(
      stdout,
      /^hookbell_waiting_seconds_bucket\{type="asked",agent="claude",le="\+Inf"\} 1$/m,
    );
    assert.deepEqual([checked.code, checked.stdout, checked.stderr], [0, '', '']);
  });

  test('are answered over TCP only where configured, under the own name alone, and to no web page', async () => {
    await using place = await hookbellHome();
    await place.start();
    const { length: linesBefore } = (await place.cli('daemon', 'metrics')).stdout.split('\n');
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    await assert.rejects(fetch(`${origin}/metrics`));
    await place.writeConfig(`metrics: { listen: "127.0.0.1:${port}" }\n`);
    await place.ask('POST /v1/reload');

    const answer = await fetch(`${origin}/metrics`);
    const text = await answer.text();
    const statusOf = async (path: string, options: object): Promise<number> =>
      (await fetch(origin + path, options)).status;

    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
    assert.equal(answer.headers.get('access-control-allow-origin'), null);
    assert.ok(readExposition(text).length > 10);
    assert.ok(text.split('\n').length >= linesBefore - 1);
    assert.equal(await statusOf('/metrics', { method: 'POST' }), 405);
    assert.equal(await statusOf('/v1/status', {}), 404);
    const crossSite = { 'sec-fetch-site': 'cross-site' };
    assert.equal(await statusOf('/metrics', { headers: crossSite }), 403);
    // An empty file would keep the running configuration.
    await place.writeConfig('# nothing\n');
    await place.ask('POST /v1/reload');
    await assert.rejects(fetch(`${origin}/metrics`));
  });

  test('a second user of the machine gets a free port, which stays and which status shows (B15)', async () => {
    await using one = await hookbellHome();
    await using other = await hookbellHome();
    const origins: string[] = [];
    for (const place of [one, other]) {
      await place.writeConfig('metrics: {}\n');
      await place.start();
      const { endpoints, warnings } = await place.ask('GET /v1/status');
      assert.deepEqual(warnings, []);
      const [{ origin } = { origin: null }] = endpoints;
      assert.ok(origin !== null);
      origins.push(origin);
      assert.equal((await fetch(`${origin}/metrics`)).status, 200);
      assert.ok((await place.cli('status')).stdout.includes(`${origin}/metrics`));
    }
    assert.notEqual(origins[0], origins[1]);

    await other.ask('POST /v1/stop');
    await until(async () => (await other.cli('status')).code !== 0);
    await other.start();

    const { endpoints } = await other.ask('GET /v1/status');
    assert.deepEqual(endpoints, [{ name: 'metrics', origin: origins[1] }]);
  });

  test('a configured port that is taken is a warning that names it and the setting (B15)', async () => {
    await using place = await hookbellHome();
    await using taken = await startMock({ now: Date.now });
    const { port } = new URL(taken.baseUrl);
    await place.writeConfig(`metrics: { listen: "127.0.0.1:${port}" }\n`);
    await place.start();

    const { endpoints, warnings } = await place.ask('GET /v1/status');

    assert.deepEqual(endpoints, [{ name: 'metrics', origin: null }]);
    assert.deepEqual(warnings, [
      `The Prometheus endpoint cannot be served on 127.0.0.1:${port}: another program has port ${port}, set "metrics.listen" to an address with a free one`,
    ]);
  });

  test('an address that others could reach is refused with its line', async () => {
    await using place = await hookbellHome();
    await place.writeConfig('metrics: { listen: "0.0.0.0:9464" }\n');

    const { code, stderr, stdout } = await place.cli('config', 'check');

    assert.equal(code, 3);
    assert.match(`${stdout}${stderr}`, /:1:\d+ metrics\.listen: is not a loopback address/);
  });
});
