import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { HookEvent } from '../../src/core/hook-event.ts';
import { silentLog } from '../../src/platform/log.ts';
import { createApiClient } from '../../src/vendor/api-client.ts';
import { createDirectoryRecipients } from '../../src/vendor/directory-recipients.ts';
import { startMock } from '../support/reference-service/reference-server.ts';
import { createOutbound } from '../../src/platform/outbound/outbound.ts';
import { configOf } from '../support/config-text.ts';
import { sampleEvent } from '../support/sample.ts';

/** Finds people by the directory of the reference service; events have these payloads. */
async function finder({ patienceMs = 8_000 } = {}) {
  const mock = await startMock({ now: Date.now });
  const { api } = await configOf(`api: { base_url: ${mock.baseUrl}, key: ${mock.keys.owner} }`);
  const payloads = new Map<string, unknown>();
  let now = 0;
  const find = createDirectoryRecipients({
    api: createApiClient({
      config: () => ({ api }),
      readSecret: () => Promise.resolve(mock.keys.owner),
      middleware: [],
      outbound: createOutbound({ env: {} }),
      now: () => now,
      log: silentLog,
    }),
    history: {
      event: (id) =>
        Promise.resolve({
          event: sampleEvent({ id }),
          sessionTitle: null,
          decisions: [],
          turnMs: null,
          deliveries: [],
          payload: new TextEncoder().encode(JSON.stringify(payloads.get(id) ?? null)),
        }),
    },
    now: () => now,
    log: silentLog,
    patienceMs,
  });
  const eventOf = (payload: unknown, fields: Partial<HookEvent> = {}): HookEvent => {
    const event = sampleEvent({ agent: 'service', kind: 'notice', ...fields });
    payloads.set(event.id, payload);
    return event;
  };
  return {
    mock,
    people: mock.state().people,
    eventOf,
    find,
    concerning: (id: string | null, email: string | null) =>
      find({ event: eventOf({ concerns: { id, email } }), also: [] }),
    wait: (ms: number) => {
      now += ms;
    },
    [Symbol.asyncDispose]: () => mock.close(),
  };
}

test('createDirectoryRecipients() finds a person by id, or by address whatever its case, and reads the directory once (acceptance 168)', async () => {
  await using run = await finder();
  const [person] = run.people;
  const found = { type: 'found', address: person?.email, isOutside: false };

  assert.deepEqual(await run.concerning(person?.id ?? '', null), found);
  assert.deepEqual(await run.concerning('nobody', person?.email.toUpperCase() ?? ''), found);
  assert.equal(run.mock.requests().length, 1);
});

test('createDirectoryRecipients() says of an unknown address whether its domain is one of the organization', async () => {
  await using run = await finder();

  const inside = await run.concerning(null, 'left@EXAMPLE.com');
  const outside = await run.concerning('nobody', 'eve@evil.test');

  assert.deepEqual(inside, { type: 'found', address: 'left@EXAMPLE.com', isOutside: false });
  assert.deepEqual(outside, { type: 'found', address: 'eve@evil.test', isOutside: true });
});

test('createDirectoryRecipients() says why no person can be found', async () => {
  await using run = await finder();
  const other = run.eventOf({ concerns: { id: 'other', email: null } });
  const event = run.eventOf({ concerns: { id: 'one', email: null } });

  assert.deepEqual(await run.concerning('u9\n', null), {
    type: 'unknown',
    reason: 'the directory does not know "u9"',
  });
  assert.deepEqual(await run.find({ event, also: [other] }), {
    type: 'unknown',
    reason: 'it covers several events',
  });
});

test('createDirectoryRecipients() makes no request about events that concern no person, or that an agent sent', async () => {
  await using run = await finder();
  const forged = run.eventOf(
    { concerns: { id: null, email: 'eve@evil.test' } },
    { agent: 'claude' },
  );

  assert.equal(await run.find({ event: forged, also: [] }), null);
  assert.equal(await run.find({ event: run.eventOf({ concerns: 'me' }), also: [] }), null);
  assert.deepEqual(run.mock.requests(), []);
});

test('createDirectoryRecipients() does without a directory that cannot be read, and asks again a minute later', async () => {
  await using run = await finder();
  const trouble = { type: 'unknown', reason: 'the directory cannot be read' };
  const over = run.mock.fault({ effect: { kind: 'v0-off' } });
  const id = run.people[0]?.id ?? '';

  assert.deepEqual(await run.concerning(id, null), trouble);
  over();
  assert.deepEqual(await run.concerning(id, null), trouble);
  run.wait(60_000);
  assert.equal((await run.concerning(id, null))?.type, 'found');
});

test('createDirectoryRecipients() waits for a service that hangs no longer than it may', async () => {
  await using run = await finder({ patienceMs: 1 });
  run.mock.fault({ effect: { kind: 'hang' } });

  assert.equal((await run.concerning('one', null))?.type, 'unknown');
});
