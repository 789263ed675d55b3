import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';

import { startMock } from '../support/reference-service/reference-server.ts';
import { fileChannelHome } from '../support/file-channel-home.ts';
import { until } from '../support/hookbell-home.ts';
import { connectProxy, privateService } from '../support/proxied-service.ts';
import { needs } from '../support/system-part.ts';

const LOGIN = 'user:p%40ss-word';
const STOP = { session_id: 'any', cwd: '/home/dev/shop', hook_event_name: 'Stop' };

describe('C5: a daemon behind a proxy', { skip: needs('openssl') }, () => {
  test('Slack, webhook and the look-up of sessions reach names that only the proxy knows', async () => {
    await using far = await privateService();
    await using api = await startMock({ now: Date.now });
    await using secure = await connectProxy({ to: far.endpoint.port, login: 'user:p@ss-word' });
    await using plain = await connectProxy({ to: Number(new URL(api.baseUrl).port) });
    await using place = await fileChannelHome({
      chat: `{ type: slack, webhook: "https://${far.name}/services/T0/B0/x", allow_any_host: true }`,
      web: `{ type: webhook, url: "https://${far.name}/in", allow_private: true }`,
    });
    const [session] = api.state().sessions;
    assert.ok(session);
    await place.writeConfig(`${await readFile(place.paths.config, 'utf8')}
ca_file: ${far.authority}
api: { base_url: "http://api.internal.example", allow_http: true, key: { env: AGENT_KEY } }
`);
    Object.assign(place.env, {
      AGENT_KEY: api.keys.owner,
      HTTPS_PROXY: `http://${LOGIN}@127.0.0.1:${secure.port}`,
      HTTP_PROXY: `http://127.0.0.1:${plain.port}`,
    });

    await place.start();
    await place.hook({ ...STOP, session_id: session.sessionId }, ['--agent', 'droid']);
    await until(() => far.endpoint.requests.length >= 2 && api.requests().length > 0);
    await until(async () => (await place.ask('GET /v1/queue')).length === 0);

    assert.deepEqual(far.endpoint.requests.map(({ path }) => path).toSorted(), [
      '/in',
      '/services/T0/B0/x',
    ]);
    assert.deepEqual([...new Set(secure.targets)], [`${far.name}:443`]);
    assert.equal(api.requests()[0]?.routeId, 'sessions.get');
    assert.deepEqual([...new Set(plain.targets)], ['api.internal.example:80']);
    const log = await readFile(place.paths.log, 'utf8');
    assert.doesNotMatch(log, /p%40ss-word|p@ss-word/);
  });

  test('`status` and `doctor` say that budgets cannot run for a proxy that cannot be used', async () => {
    await using place = await fileChannelHome();
    await place.writeConfig(`${await readFile(place.paths.config, 'utf8')}
api: { base_url: "https://api.internal.example", key: { env: AGENT_KEY } }
budget: { organization: 1000 }
`);
    Object.assign(place.env, {
      AGENT_KEY: 'key-for-tests-123456',
      HTTPS_PROXY: 'u:p-word@proxy:1',
    });
    const wanted = /Cannot start the pollers \(budget\): Cannot use the proxy in HTTPS_PROXY/;

    await place.start();
    await until(async () => (await place.ask('GET /v1/status')).warnings.length > 0);
    const status = await place.cli('status');
    const doctor = await place.cli('doctor');

    assert.match(status.stdout, wanted);
    assert.match(doctor.stdout, wanted);
    assert.match(doctor.stdout, /^warning +usage data .*HTTPS_PROXY/m);
    assert.doesNotMatch(`${status.stdout}${doctor.stdout}`, /p-word/);
  });

  test('`doctor` names a key that would go to another machine without TLS', async () => {
    await using place = await fileChannelHome();
    await place.writeConfig(`${await readFile(place.paths.config, 'utf8')}
api: { base_url: "http://api.internal.example", key: { env: AGENT_KEY } }
`);
    place.env['AGENT_KEY'] = 'key-for-tests-123456';

    await place.start();
    const { stdout } = await place.cli('doctor');

    assert.match(
      stdout,
      /^warning +configuration .*api\.base_url: would send the key to another machine without TLS/m,
    );
    assert.match(stdout, /^warning +session look-up /m);
  });
});
