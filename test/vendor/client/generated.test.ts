import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import * as fc from 'fast-check';

import type { Client, ClientOptions, RouteId } from '../../../src/vendor/client/index.ts';
import {
  ApiError,
  AuthError,
  createClient,
  routes,
  UsageError,
} from '../../../src/vendor/client/index.ts';
import { isJsonObject } from '../../../src/platform/json.ts';
import { placeParameters } from '../../../src/vendor/client/define-routes.ts';
import type { Mock } from '../../support/reference-service/reference-server.ts';
import { startMock } from '../../support/reference-service/reference-server.ts';
import { ask, knownIds, NOW } from '../reference-service/ask.ts';
import type { Flaw, Generated } from './route-arbitraries.ts';
import { generatedRequests } from './route-arbitraries.ts';

type Parameters = Readonly<Record<string, unknown>>;

const RUNS = { numRuns: 12 };

let mock: Mock;
let requests: Readonly<Record<RouteId, Generated>>;

before(async () => {
  mock = await startMock({ now: NOW });
  requests = generatedRequests(mock);
});
after(() => mock.close());

function clientOf(options: ClientOptions = {}): Client {
  return createClient({
    baseUrl: mock.baseUrl,
    appUrl: mock.appUrl,
    apiKey: mock.keys.owner,
    now: () => NOW,
    sleep: () => Promise.resolve(),
    requestQueue: { requestsPerSecond: 1e6, burst: 1e6 },
    strict: true,
    ...options,
  });
}

/** Makes a call to its end; of a list the first items. */
async function call(api: Client, id: RouteId, parameters: Parameters): Promise<unknown> {
  const result = api.call(id, parameters);
  const answer = 'all' in result ? await result.all({ max: 30 }) : await result;
  // A limits update reports what ended it.
  if (isJsonObject(answer) && answer['failure'] instanceof Error) throw answer['failure'];
  return answer;
}

/** What a call was refused with: the client's own word, or a status below 500 of the service. */
async function refusal(calling: Promise<unknown>): Promise<ApiError> {
  try {
    await calling;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { status = 0 } = error;
    const isRefusal = error instanceof UsageError || (status >= 400 && status <= 499);
    assert.ok(isRefusal, `${error.name}: ${error.message}`);
    return error;
  }
  throw new assert.AssertionError({ message: 'It was accepted' });
}

interface Changed {
  readonly method?: string;
  readonly suffix?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The status of the request when it is sent without any checks. */
async function rawStatus(
  id: RouteId,
  parameters: Parameters,
  { method, suffix = '', headers = {} }: Changed = {},
): Promise<number> {
  const route = routes[id];
  const { query, body } = placeParameters(route, parameters);
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const part = parameters[name];
    return typeof part === 'string' ? encodeURIComponent(part) : '';
  });
  const search = new URLSearchParams(query).toString();
  const { status, text } = await ask(mock, `${path}${suffix}?${search}`, {
    method: method ?? route.method,
    headers,
    ...(body === undefined ? {} : { body }),
  });
  assert.ok(status < 500, text);
  return status;
}

/** The install step of a computer can be asked for once only until it has ended. */
function calmDown(id: RouteId): void {
  if (id === 'computers.installDeps') mock.clock.advance(60_000);
}

function withFlaw(parameters: Parameters, { name, value }: Flaw): Parameters {
  return { ...parameters, [name]: value };
}

for (const id of Object.values(routes).map((route) => route.id)) {
  describe(`generated requests of ${id}`, () => {
    test('acceptance 227: what the interface allows, client and service take', async () => {
      await fc.assert(
        fc.asyncProperty(requests[id].valid, async (parameters) => {
          calmDown(id);
          await call(clientOf(), id, parameters);
        }),
        RUNS,
      );
    });

    test('one thing wrong with it is refused, here or by a 4xx', async () => {
      const { valid, required, flaws } = requests[id];
      const api = clientOf();
      const [parameters = {}] = fc.sample(valid, 1);

      for (const flaw of flaws) {
        const wrong = withFlaw(parameters, flaw);
        const what = `${flaw.name} ${JSON.stringify(flaw.value)}`;
        await assert.doesNotReject(refusal(call(api, id, wrong)), what);
        const status = await rawStatus(id, wrong);
        assert.ok(flaw.localOnly === true || status >= 400, `${what}: the service says ${status}`);
      }
      for (const name of required) {
        const { [name]: _, ...rest } = parameters;
        assert.ok((await refusal(call(api, id, rest))) instanceof UsageError);
        assert.ok((await rawStatus(id, rest)) >= 400, `without ${name}`);
      }
      const surprise = { ...parameters, surprise: '1' };
      assert.ok((await refusal(call(api, id, surprise))) instanceof UsageError);
      assert.ok((await rawStatus(id, surprise)) >= 400, 'with an unknown parameter');
    });

    test('another method, path or type of body is refused by the service', async () => {
      const [parameters = {}] = fc.sample(requests[id].valid, 1);
      const { body } = placeParameters(routes[id], parameters);

      assert.ok((await rawStatus(id, parameters, { suffix: '/x/y' })) === 404);
      if (body === undefined) return;
      assert.equal(await rawStatus(id, parameters, { method: 'DELETE' }), 405);
      const headers = { 'content-type': 'text/plain' };
      assert.equal(await rawStatus(id, parameters, { headers }), 415);
    });

    test('acceptance 198, 202: without a good key it is refused', async () => {
      const [parameters = {}] = fc.sample(requests[id].valid, 1);

      for (const apiKey of [mock.keys.revoked, 'fk-unknown']) {
        const refused = await refusal(call(clientOf({ apiKey }), id, parameters));
        assert.ok(refused instanceof AuthError && refused.status === 401);
      }
    });
  });
}

test('any method, path and query is answered, and never by 5xx', async () => {
  const segment = fc.oneof(
    fc.string(),
    fc.constantFrom(
      'api',
      'v0',
      'v1',
      'analytics',
      'sessions',
      'computers',
      'name',
      '..',
      '%',
      '%2f',
      '%ff',
    ),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS'),
      fc.array(segment, { maxLength: 6 }),
      fc.dictionary(fc.string(), fc.string(), { maxKeys: 3 }),
      async (method, segments, query) => {
        const path = segments.map((part) => encodeURI(part)).join('/');
        const search = new URLSearchParams(query).toString();
        const { status, text } = await ask(mock, `/${path}?${search}`, { method });
        assert.ok(status < 500, text);
      },
    ),
    { numRuns: 200 },
  );
});

test('any JSON as a body is answered, and never by 5xx', async () => {
  const { sessionId } = knownIds(mock);
  await fc.assert(
    fc.asyncProperty(fc.json({ maxDepth: 3 }), async (body) => {
      for (const [method, path] of [
        ['POST', `/api/v0/sessions/${sessionId}/messages`],
        ['PATCH', `/api/v0/sessions/${sessionId}`],
        ['PUT', '/api/v0/organization/usage/limits/users'],
      ] as const) {
        const { status, text } = await ask(mock, path, { method, body });
        assert.ok(status < 500, text);
      }
    }),
    { numRuns: 60 },
  );
});
