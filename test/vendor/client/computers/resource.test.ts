import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import {
  AmbiguousWriteError,
  computerStatus,
  failedStep,
  stepState,
} from '../../../../src/vendor/client/index.ts';
import { Computer } from '../../../../src/vendor/client/computers.ts';
import { computer } from '../samples.ts';
import { json, openService, rejection } from '../service.ts';

const GET = 'GET /api/v0/computers/c1';
const POST = 'POST /api/v0/computers/c1/install-deps';
const input = { computerId: 'c1' };
const idle = json(computer({ status: 'error' }));
const started = json(computer({ status: 'provisioning' }));
const restarted = json(
  computer({ status: 'error', provisioningSteps: [{ id: 'deps', startedAt: 9 }] }),
);

test('acceptance 153: install-deps posts no body and takes 202 with a computer', async () => {
  await using service = await openService(idle, json(computer({ status: 'provisioning' }), 202));

  const result = await service.client().computers.installDeps(input);

  assert.equal(result.outcome, 'accepted');
  assert.equal(result.computer.status, 'provisioning');
  assert.deepEqual(service.calls(), [GET, POST]);
  assert.equal(service.base.requests[1]?.body, '');
  assert.equal(service.base.requests[1]?.headers['content-type'], undefined);
});

test('A30: 409 on install-deps is information', async () => {
  await using service = await openService(idle, json({}, 409), started);

  const { outcome, computer: found } = await service.client().computers.installDeps(input);

  assert.deepEqual([outcome, found.status], ['already-running', 'provisioning']);
  assert.deepEqual(service.calls(), [GET, POST, GET]);
});

for (const [what, after] of [
  ['status', started],
  ['step', restarted],
] as const) {
  test(`a lost answer to install-deps is not asked again when the ${what} of the computer moved`, async () => {
    await using service = await openService(idle, 'reset', after);

    const { outcome } = await service.client().computers.installDeps(input);

    assert.equal(outcome, 'inferred');
    assert.deepEqual(service.calls(), [GET, POST, GET]);
  });
}

test('install-deps is sent once more when its answer was lost and nothing moved, and no more than that', async () => {
  await using service = await openService(idle, 'reset', idle, json(computer(), 202));
  assert.equal((await service.client().computers.installDeps(input)).outcome, 'accepted');

  await using dead = await openService(idle, json({}, 500), idle, json({}, 500), idle);
  const error = await rejection(dead.client().computers.installDeps(input), AmbiguousWriteError);

  assert.equal(error.outcome, 'unknown');
  assert.deepEqual(dead.calls(), [GET, POST, GET, POST, GET]);
});

test('an answer to install-deps that broke off after 202 means accepted', async () => {
  await using service = await openService(idle, { status: 202, body: '{"id":' }, idle);

  assert.equal((await service.client().computers.installDeps(input)).outcome, 'inferred');
  assert.deepEqual(service.calls(), [GET, POST, GET]);
});

test('acceptance 161: relay addresses never show, in typed calls and raw ones', async () => {
  const relays = {
    relayClientUrl: 'wss://relay.test/c/secret-1',
    relayAgentUrl: 'wss://relay.test/a/secret-2',
  };
  await using service = await openService(json({ computers: [computer(relays)] }));
  const api = service.client();

  const { computers } = await api.computers.list();
  const raw = await api.request('GET', '/api/v0/computers');
  const unlisted = await api.request('GET', '/api/v0/computers/');

  for (const shown of [computers, raw, unlisted]) {
    assert.equal(
      `${inspect(shown, { depth: 9 })}${JSON.stringify(shown)}`.includes('relay.test'),
      false,
    );
  }
  assert.equal(computers[0]?.relayClientUrl?.reveal(), relays.relayClientUrl);
});

test('acceptance 226: a bad computer in the list is set aside, raw, and hides no other', async () => {
  const bad = { id: 'c2', name: 5, relayClientUrl: 'wss://relay.test/secret' };
  await using service = await openService(json({ computers: [computer(), bad] }));

  const { computers, badItems } = await service.client().computers.list();

  assert.equal(computers.length, 1);
  assert.equal(badItems[0]?.jsonPath, '$.computers[1].name');
  assert.equal(JSON.stringify(badItems[0].raw), '{"id":"c2","name":5,"relayClientUrl":"***"}');
});

test('acceptance 160, A29: a step failed by its error or its status, and is done by its end', () => {
  assert.equal(stepState({ error: 'No space', completedAt: null }), 'failed');
  assert.equal(stepState({ status: 'FAILED' }), 'failed');
  assert.equal(stepState({ status: 'install_error' }), 'failed');
  assert.equal(stepState({ error: '', status: 'whatever' }), 'open');
  assert.equal(stepState({}), 'open');
});

test('acceptance 163: the failed step names the session that ran it', () => {
  const step = { id: 'deps', status: 'failed', installSessionId: 's7' };
  const found = Computer.parse(
    computer({ provisioningSteps: [{ id: 'ok', completedAt: 1 }, step] }),
  );

  assert.equal(stepState(found.provisioningSteps?.[0] ?? {}), 'done');
  assert.equal(failedStep(found)?.installSessionId, 's7');
  assert.equal(failedStep(Computer.parse(computer())), null);
});

test('acceptance 158: an absent status reads "unknown"', () => {
  assert.equal(computerStatus(Computer.parse(computer())), 'unknown');
  assert.equal(computerStatus(Computer.parse(computer({ status: 'new one' }))), 'new one');
});
