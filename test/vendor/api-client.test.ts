import assert from 'node:assert/strict';
import { test } from 'node:test';

import { RateLimitError } from '../../src/vendor/client/index.ts';
import { silentLog } from '../../src/platform/log.ts';
import { createApiClient } from '../../src/vendor/api-client.ts';
import { createDirectoryRecipients } from '../../src/vendor/directory-recipients.ts';
import { countRequests } from '../../src/daemon/metrics/counters.ts';
import { createSessionService } from '../../src/vendor/session-service.ts';
import { startMock } from '../support/reference-service/reference-server.ts';
import { createOutbound } from '../../src/platform/outbound/outbound.ts';
import { configOf } from '../support/config-text.ts';
import { sampleEvent } from '../support/sample.ts';

/** The client of a daemon, asked for the directory and for sessions, with the requests that it counted. */
async function daemonClient() {
  const mock = await startMock({ now: Date.now });
  const configured = await configOf(`api: { base_url: ${mock.baseUrl}, key: ${mock.keys.owner} }`);
  let config = configured;
  let key: string = mock.keys.owner;
  let now = Date.now();
  const requests = countRequests();
  const warned: Record<string, unknown>[] = [];
  const log = { ...silentLog, warn: (fields: object) => warned.push({ ...fields }) };
  const api = createApiClient({
    config: () => config,
    readSecret: () => Promise.resolve(key),
    middleware: [requests.middleware],
    outbound: createOutbound({ env: {} }),
    now: () => now,
    log,
  });
  const id = mock.state().people[0]?.id ?? '';
  const payload = new TextEncoder().encode(JSON.stringify({ concerns: { id, email: null } }));
  const event = sampleEvent({ agent: 'service', kind: 'notice' });
  const entry = { event, sessionTitle: null, decisions: [], turnMs: null, deliveries: [], payload };
  const recipients = createDirectoryRecipients({
    api,
    history: { event: () => Promise.resolve(entry) },
    now: () => now,
    log: silentLog,
  });
  return {
    mock,
    api,
    warned,
    findPerson: () => recipients({ event, also: [] }),
    lookUp: async () =>
      createSessionService(await api.get()).session('any', new AbortController().signal),
    counted: () =>
      requests.families()[0]?.samples.map(({ labels, value }) => [labels['code'], value]) ?? [],
    wait: (ms: number) => {
      now += ms;
    },
    configure: async (text: string) => {
      config = await configOf(text);
    },
    rotateKey: (next: string) => {
      key = next;
    },
    configureAgain: () => {
      config = { ...configured };
    },
    [Symbol.asyncDispose]: () => mock.close(),
  };
}

test('A16: a 429 that the directory gets pauses look-ups as well, and the metrics count every request', async () => {
  await using run = await daemonClient();
  const retryAfter = { form: 'seconds', seconds: 90 } as const;
  run.mock.fault({ match: { nth: 1 }, effect: { kind: 'status', status: 429, retryAfter } });

  await run.findPerson();
  const looked = await run.lookUp();

  assert.equal(looked.type, 'failed');
  assert.equal(looked.type === 'failed' && looked.retryAfterMs, 90_000);
  assert.equal(run.mock.requests().length, 1);
  assert.deepEqual(run.counted(), [['429', 1]]);
  const { sessions } = await run.api.get();
  const background = sessions.list({}, { priority: 'background' }).all({ max: 1 });
  await assert.rejects(background, RateLimitError);
  assert.equal(run.mock.requests().length, 1);

  run.wait(90_000);
  assert.equal((await run.lookUp()).type, 'unknown');
  assert.equal((await run.findPerson())?.type, 'found');
  assert.deepEqual(run.counted(), [
    ['429', 1],
    ['4xx', 1],
    ['2xx', 1],
  ]);
});

test('A16: createApiClient() keeps its client until what the configuration says of the service changes', async () => {
  await using run = await daemonClient();

  const first = await run.api.get();
  run.configureAgain();
  assert.equal(await run.api.get(), first);

  await run.configure(`api: { base_url: ${run.mock.baseUrl}, key: another-key-1234567890 }`);
  assert.notEqual(await run.api.get(), first);
});

test('A14: createApiClient() reads a rotated key on request, though the service still takes the former one', async () => {
  await using run = await daemonClient();
  await run.lookUp();

  run.rotateKey('fk-another-key-1234567890');
  assert.equal((await run.lookUp()).type, 'unknown');
  run.api.readSecretsAgain();
  const refused = await run.lookUp();

  assert.match(refused.type === 'failed' ? refused.reason : '', /key/i);
});

test('C11: an answer that differs from the interface is logged once per route and place', async () => {
  await using run = await daemonClient();
  const effect = { kind: 'field', fault: 'extra' } as const;
  run.mock.fault({ match: { path: '/api/v0/computers' }, effect });
  const { computers } = await run.api.get();

  await computers.list();
  await computers.list();

  const drifts = run.warned.filter(({ kind }) => kind === 'extra-field');
  assert.deepEqual(
    drifts.map(({ route }) => route),
    ['computers.list'],
  );
});
