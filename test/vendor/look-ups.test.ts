import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { ApiCheckView } from '../../src/control/contract-views.ts';
import { silentLog } from '../../src/platform/log.ts';
import { createApiClient } from '../../src/vendor/api-client.ts';
import { createLookUps } from '../../src/vendor/look-ups.ts';
import type { MockKeys } from '../support/reference-service/keys.ts';
import type { Mock } from '../support/reference-service/reference-server.ts';
import { startMock } from '../support/reference-service/reference-server.ts';
import { createOutbound } from '../../src/platform/outbound/outbound.ts';
import { configOf } from '../support/config-text.ts';

const BUDGET = 'budget: { organization: 1000 }';

interface Tried extends ApiCheckView {
  /** Ids of the routes that were asked, in alphabetical order. */
  readonly routes: readonly string[];
}

/**
 * What `check()` of the daemon says with a key of the reference service.
 *
 * @param more sections of the configuration besides `api`
 * @param account entries of `api` besides the key
 */
async function check(
  key: keyof MockKeys,
  more: string,
  {
    account = ({ baseUrl }) => `base_url: ${baseUrl}`,
    prepare = () => {},
    env = {},
  }: {
    readonly account?: (mock: Mock) => string;
    readonly prepare?: (mock: Mock) => void;
    readonly env?: Readonly<Record<string, string>>;
  } = {},
): Promise<Tried> {
  await using mock = await startMock({ now: Date.now });
  const config = await configOf(`api: { ${account(mock)}, key: ${mock.keys[key]} }\n${more}`);
  prepare(mock);
  const api = createApiClient({
    config: () => config,
    readSecret: () => Promise.resolve(mock.keys[key]),
    middleware: [],
    outbound: createOutbound({ env }),
    now: Date.now,
    log: silentLog,
  });
  const lookUps = createLookUps({ config, api, now: Date.now, log: silentLog });
  const view = await lookUps.check();
  await lookUps.stop();
  return {
    ...view,
    routes: mock
      .requests()
      .map(({ routeId }) => String(routeId))
      .toSorted(),
  };
}

const both = ({ baseUrl, appUrl }: Mock): string => `base_url: ${baseUrl}, app_url: ${appUrl}`;

function forbidReports(mock: Mock): void {
  mock.fault({ match: { path: '/api/organization/*' }, effect: { kind: 'status', status: 403 } });
}

describe('C11: check() of the look-ups', () => {
  for (const section of [BUDGET, 'digest: { notify: inbox }']) {
    test(`finds that the key of a member is not allowed what "${section}" needs`, async () => {
      const { state, analytics, readiness, routes } = await check('member', section);

      assert.equal(state, 'ok');
      assert.equal(analytics?.state, 'failed');
      assert.match(analytics.reason ?? '', /403/);
      assert.match(analytics.hint ?? '', /Manager or Owner/);
      assert.equal(readiness, null);
      assert.deepEqual(routes, ['analytics.tokens', 'sessions.list']);
    });
  }

  test('is content with the key of an owner', async () => {
    const { analytics, readiness, routes } = await check('owner', BUDGET, { account: both });

    assert.deepEqual([analytics?.state, analytics?.reason], ['ok', null]);
    assert.deepEqual([readiness?.state, readiness?.reason], ['ok', null]);
    assert.deepEqual(routes, ['analytics.tokens', 'readiness.list', 'sessions.list']);
  });

  test('asks for sessions alone where the configuration needs nothing else', async () => {
    const { analytics, readiness, routes } = await check('member', '');

    assert.deepEqual([analytics, readiness], [null, null]);
    assert.deepEqual(routes, ['sessions.list']);
  });

  test('asks once, whatever fails', async () => {
    const { analytics, routes } = await check('owner', BUDGET, {
      prepare: (mock) =>
        mock.fault({ match: { path: '/api/v1/*' }, effect: { kind: 'status', status: 503 } }),
    });

    assert.match(analytics?.reason ?? '', /503/);
    assert.deepEqual(routes, ['analytics.tokens', 'sessions.list']);
  });

  test('finds that "app_url" leads to something else', async () => {
    const { readiness } = await check('owner', '', {
      account: ({ baseUrl }) => `base_url: ${baseUrl}, app_url: ${baseUrl}`,
    });

    assert.equal(readiness?.state, 'failed');
    assert.match(readiness.reason ?? '', /404/);
  });

  test('takes a 403 at "app_url" for trouble only where reports are watched', async () => {
    const prepare = forbidReports;
    const watched = await check('owner', 'watch: { readiness: {} }', { account: both, prepare });
    const unwatched = await check('owner', '', { account: both, prepare });

    assert.match(watched.readiness?.reason ?? '', /403/);
    assert.equal(unwatched.readiness?.state, 'ok');
  });

  test('looks sessions up at "app_url" without a "base_url"', async () => {
    const { state, readiness, routes } = await check('owner', 'watch: { readiness: {} }', {
      account: ({ appUrl }) => `app_url: ${appUrl}`,
    });

    assert.deepEqual([state, readiness?.state], ['off', 'ok']);
    assert.deepEqual(routes, ['readiness.list']);
  });

  test('C5: says which variable names a proxy that cannot be used', async () => {
    const { state, reason, analytics, routes } = await check('owner', BUDGET, {
      account: () => 'base_url: "https://service.example"',
      env: { HTTPS_PROXY: 'proxy:3128' },
    });

    assert.equal(state, 'failed');
    for (const said of [reason, analytics?.reason]) assert.match(said ?? '', /HTTPS_PROXY/);
    assert.match(analytics?.hint ?? '', /Set HTTPS_PROXY/);
    assert.deepEqual(routes, []);
  });
});
