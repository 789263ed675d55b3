import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import type { Check } from '../../src/cli/doctor/check.ts';
import type { DeliveryView } from '../../src/control/contract.ts';
import { hookbellHome, until } from '../support/hookbell-home.ts';

const question = {
  session_id: 's1',
  cwd: '/home/dev/shop',
  hook_event_name: 'Notification',
  message: 'Claude needs your permission to use Bash',
};

test('the reading commands agree on what the real daemon did with an event', async () => {
  await using place = await hookbellHome();
  await place.writeConfig(
    `channels: { out: { type: file, path: ${join(place.home, 'out.jsonl')} } }\n`,
  );
  await place.start();
  await place.hook(question, ['--agent', 'claude']);
  await until(async () => (await place.ask('GET /v1/status')).deliveries.sent >= 2);

  const json = async (...words: readonly string[]) => {
    const { code, stdout, stderr } = await place.cli(...words, '--json');
    assert.deepEqual([words.join(' '), code, stderr], [words.join(' '), 0, '']);
    return JSON.parse(stdout);
  };
  const [entry, ...older] = await json('history', '--session', 's1');
  const [session] = await json('sessions', '--state', 'waiting');
  const event = await json('explain', entry.eventId.slice(0, 8));

  assert.deepEqual(older, []);
  assert.deepEqual(await json('history', '--before', entry.eventId.slice(0, 8)), []);
  assert.deepEqual([entry.agent, entry.kind], ['claude', 'needs.permission']);
  assert.equal(session.waitingFor, question.message);
  assert.equal(event.payload, JSON.stringify(question));
  assert.deepEqual(await json('queue'), []);
  assert.deepEqual(
    (await json('queue', '--state', 'sent')).map(({ channel }: { channel: string }) => channel),
    event.deliveries.map(({ channel }: { channel: string }) => channel),
  );
  assert.deepEqual(
    (await json('test', '--all')).map(({ outcome }: { outcome: string }) => outcome),
    ['delivered', 'delivered'],
  );
  const { checks, ok } = await json('doctor');
  const troubled = checks.filter(({ state }: Check) => state === 'problem');
  assert.deepEqual([ok, troubled], [true, []]);
});

test('a dropped delivery is sent again by retry', async () => {
  await using place = await hookbellHome();
  await place.writeConfig(
    `channels: { out: { type: file, path: ${join(place.home, 'out.jsonl')} } }
plans: { later: [{ after: 1h, notify: out }] }
routes: [{ match: {}, plan: later }]\n`,
  );
  await place.start();
  await place.hook(question);
  await until(async () => (await place.ask('GET /v1/queue')).length > 0);

  const dropped = await place.cli('queue', 'drop', '--all');
  const { stdout } = await place.cli('queue', '--state', 'cancelled', '--json');
  const cancelled: readonly DeliveryView[] = JSON.parse(stdout);
  const id = cancelled.find(({ channel }) => channel === 'out')?.id ?? '';
  const retried = await place.cli('queue', 'retry', id);

  assert.equal(dropped.code, 0);
  assert.equal(retried.stderr, '1 delivery to be sent again\n');
  await until(async () => (await place.ask('GET /v1/queue')).length === 0);
  const [entry] = await place.ask('GET /v1/history');
  assert.equal(entry?.deliveries.find((delivery) => delivery.id === id)?.state, 'sent');
});
