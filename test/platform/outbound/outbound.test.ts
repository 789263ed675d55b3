import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';

import { ApiConnectionError, createClient } from '../../../src/vendor/client/index.ts';
import { publicLookup } from '../../../src/channels/webhook/public-lookup.ts';
import { sendHttpRequest } from '../../../src/channels/webhook/index.ts';
import { silentLog } from '../../../src/platform/log.ts';
import { createHeartbeat } from '../../../src/daemon/heartbeat.ts';
import { createOutbound } from '../../../src/platform/outbound/outbound.ts';
import { createLink } from '../../../src/relay/link.ts';
import { createWebhook } from '../../channels/webhook/webhook-stage.ts';
import { createSlack } from '../../channels/slack/slack-stage.ts';
import { send } from '../../channels/conformance.ts';
import { connectProxy, privateService } from '../../support/proxied-service.ts';
import { sampleNotification } from '../../support/sample.ts';
import { needs } from '../../support/system-part.ts';

const skip = needs('openssl');
const LOGIN = 'user:p%40ss-word';

/** A service under a name that only the proxy knows, with a certificate of our own authority. */
async function stage({ isTrusted = true, login = LOGIN, to = 0 } = {}) {
  const service = await privateService();
  const proxy = await connectProxy({
    to: to === 0 ? service.endpoint.port : to,
    login: 'user:p@ss-word',
  });
  const address = `http://${login}@127.0.0.1:${proxy.port}`;
  const env = { HTTPS_PROXY: address, HTTP_PROXY: address };
  const pem = readFileSync(service.authority, 'utf8');
  const outbound = createOutbound({ env, authorities: () => (isTrusted ? pem : null) });
  return {
    service,
    proxy,
    env,
    outbound,
    url: `https://${service.name}`,
    client: () =>
      createClient({
        baseUrl: `https://${service.name}`,
        apiKey: 'key-for-tests-123456',
        fetch: (url, init) => outbound.fetch(url, init),
      }),
    async [Symbol.asyncDispose]() {
      await outbound.close();
      await proxy[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}

/** Finds this address for every name. */
const resolving = (address: string) =>
  publicLookup((_name, _options, done) => done(null, [{ address, family: 4 }]));

describe(
  'C5: one way out, through a proxy with a login to a service with a private authority',
  { skip },
  () => {
    test('the API client, Slack, the webhook and the heartbeat all take it', async () => {
      await using run = await stage();
      const { service, proxy, outbound, url, client } = run;
      const { endpoint } = service;

      endpoint.answer({ status: 200, body: '{"sessions":[],"pagination":{"hasMore":false}}' });
      await client().sessions.list().all({ max: 1 });
      endpoint.answer({ status: 200, body: 'ok' });
      const slack = await createSlack(
        { webhook: `${url}/services/T0/B0/x`, allow_any_host: true },
        { outbound },
      );
      const webhook = await createWebhook({ url: `${url}/in`, allow_private: true }, { outbound });
      const heartbeat = createHeartbeat({
        config: { heartbeat: { url: { env: 'HEARTBEAT' }, everyMs: 60_000 } },
        readSecret: async () => `${url}/beat`,
        outbound,
        now: Date.now,
        log: silentLog,
      });
      const outcomes = [
        await send({ channel: slack }, sampleNotification()),
        await send({ channel: webhook }, sampleNotification()),
      ];
      await heartbeat.beat();

      assert.deepEqual(outcomes, [{ type: 'delivered' }, { type: 'delivered' }]);
      assert.equal(heartbeat.state()?.reason, null);
      assert.deepEqual(
        endpoint.requests.map(({ path }) => path),
        ['/api/v0/sessions', '/services/T0/B0/x', '/in', '/beat'],
      );
      assert.deepEqual([...new Set(proxy.targets)], [`${service.name}:443`]);
      // The login is for the proxy alone.
      assert.equal(JSON.stringify(endpoint.requests).includes('proxy-authorization'), false);
      await heartbeat.stop();
    });

    test('the relay takes it', async () => {
      await using run = await stage();
      const { service, proxy, outbound } = run;
      const link = createLink({
        address: { type: 'url', secure: true, host: service.name, port: 8443 },
        certificate: null,
        token: { machine: 'devbox', key: 'k'.repeat(43) },
        outbound,
        now: Date.now,
      });

      const greeted = await link.greet(new AbortController().signal);

      link.close();
      assert.deepEqual(proxy.targets, [`${service.name}:8443`]);
      assert.equal(service.endpoint.requests.length, 1);
      assert.match(inspect(greeted), /does not know the token/);
    });

    test('a certificate that is not signed by an authority we know is refused, and no key leaves', async () => {
      await using run = await stage({ isTrusted: false });
      const { service, client, outbound, url } = run;

      const listing = client().sessions.list({}, { maxRetries: 0 }).all({ max: 1 });
      await assert.rejects(listing, (error) => {
        assert.ok(error instanceof ApiConnectionError);
        assert.equal(error.phase, 'connect');
        assert.match(error.code, /UNABLE_TO|SELF_SIGNED/);
        return true;
      });
      const webhook = await createWebhook({ url: `${url}/in`, allow_private: true }, { outbound });
      const outcome = await send({ channel: webhook }, sampleNotification());

      assert.equal(outcome.type, 'retry');
      assert.equal(service.endpoint.requests.length, 0);
    });

    test('a proxy that refuses the login is named, nothing is sent, and the password is not shown', async () => {
      await using run = await stage({ login: 'user:wrong-word' });
      const { service, client, outbound, url } = run;

      const webhook = await createWebhook({ url: `${url}/in`, allow_private: true }, { outbound });
      const outcome = await send({ channel: webhook }, sampleNotification());
      const listing = client().sessions.list({}, { maxRetries: 0 }).all({ max: 1 });

      assert.deepEqual(outcome, {
        type: 'retry',
        reason: 'Cannot deliver to the webhook: the proxy refused the login',
      });
      await assert.rejects(listing, (error) => {
        assert.ok(error instanceof ApiConnectionError);
        assert.deepEqual([error.phase, error.code], ['connect', 'ERR_PROXY_LOGIN']);
        assert.equal(inspect(error).includes('wrong-word'), false);
        return true;
      });
      assert.equal(service.endpoint.requests.length, 0);
    });

    test('without allow_private the proxy is asked for the address that was checked, never for the name', async () => {
      await using run = await stage();
      const { service, proxy, outbound, url } = run;
      const request = {
        url: new URL(url),
        method: 'POST',
        headers: {},
        body: '{}',
        signal: new AbortController().signal,
        outbound,
      };

      await sendHttpRequest({ ...request, lookup: resolving('1.1.1.1') });
      await assert.rejects(sendHttpRequest({ ...request, lookup: resolving('169.254.169.254') }), {
        name: 'PrivateAddressError',
      });

      assert.deepEqual(proxy.targets, ['1.1.1.1:443']);
      assert.equal(service.endpoint.requests[0]?.headers.host, service.name);
    });

    test('NO_PROXY and an authority of our own work without the proxy as well', async () => {
      await using run = await stage();
      const { service, proxy, env } = run;
      const pem = readFileSync(service.authority, 'utf8');
      const direct = createOutbound({ env: { ...env, no_proxy: '*' }, authorities: () => pem });

      const asking = direct.fetch(`https://127.0.0.1:${service.endpoint.port}/`, {
        redirect: 'manual',
        signal: new AbortController().signal,
      });

      // The chain is trusted; the name in the certificate is another one, and that is still looked at.
      await assert.rejects(asking, (error) => /ALTNAME_INVALID/.test(inspect(error)));
      assert.deepEqual(proxy.targets, []);
      await direct.close();
    });

    test('a request that is aborted while the proxy is silent ends immediately', async () => {
      const silent = createServer();
      silent.listen(0, '127.0.0.1');
      await once(silent, 'listening');
      const address = silent.address();
      const port = typeof address === 'object' ? address?.port : 0;
      const outbound = createOutbound({ env: { https_proxy: `http://127.0.0.1:${port}` } });
      const stopping = new AbortController();
      const reached = once(silent, 'connection');

      const asking = outbound.tunnel(new URL('https://a.example'), { signal: stopping.signal });
      const [socket] = await reached;
      stopping.abort(new Error('Enough'));

      await assert.rejects(asking, /Enough/);
      socket.destroy();
      silent.close();
    });
  },
);
