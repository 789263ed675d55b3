import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { HistoryDeliveryView } from '../../src/core/control.ts';
import type { HookbellHome } from '../support/hookbell-home.ts';
import { hookbellHome, until } from '../support/hookbell-home.ts';
import { openHttpEndpoint } from '../support/http-endpoint.ts';

const base = { session_id: 's', cwd: '/w', tool_name: 'Bash' };
const asks = { ...base, hook_event_name: 'PermissionRequest', tool_input: { command: 'ls' } };
const ran = { ...base, hook_event_name: 'PostToolUse' };
const words = ['--agent', 'qwen'];

async function configure(place: HookbellHome, url: string, settle: string): Promise<void> {
  await place.writeConfig(`
channels: { team: { type: slack, webhook: "${url}", allow_any_host: true } }
alerts: { settle: { far: ${settle} } }
`);
}

/** What the first event owes the channel; null before it is committed. */
async function owed(place: HookbellHome): Promise<HistoryDeliveryView | null> {
  const history = await place.ask('GET /v1/history');
  return history.at(-1)?.deliveries.find(({ channel }) => channel === 'team') ?? null;
}

/** Hands in the request, and waits until it settles. */
async function ask(place: HookbellHome): Promise<void> {
  await place.hook(asks, words);
  await until(async () => {
    const queue = await place.ask('GET /v1/queue', { query: { state: 'pending' } });
    return queue.some(({ heldFor }) => heldFor === 'settle');
  });
}

describe('a request settles', () => {
  test('one that was answered meanwhile is not sent, and `hookbell explain` says so', async () => {
    await using endpoint = await openHttpEndpoint();
    await using place = await hookbellHome();
    await configure(place, endpoint.url, '10m');
    await place.start();

    await ask(place);
    await place.hook(ran, words);
    await until(async () => (await owed(place))?.state === 'cancelled');

    assert.match(
      String((await owed(place))?.reason),
      /^Answered before a person was needed: tool\.done \(event .+\) came after it$/,
    );
    const [, asked] = await place.ask('GET /v1/history');
    const { stdout } = await place.cli('explain', String(asked?.eventId));
    assert.match(stdout, /"team" waits 600000 ms: many requests are answered before a person/);
    assert.match(stdout, /Answered before a person was needed/);
    assert.equal(endpoint.requests.length, 0);
  });

  test('one that stays open is sent once, though the daemon is killed meanwhile', async () => {
    await using endpoint = await openHttpEndpoint();
    await using place = await hookbellHome();
    await configure(place, endpoint.url, '2s');
    await place.start();

    await ask(place);
    await place.killDaemon();
    await place.start();
    await until(async () => (await owed(place))?.state === 'sent');

    assert.equal(endpoint.requests.length, 1);
  });

  test('an answer that comes in while no daemon runs counts', async () => {
    await using endpoint = await openHttpEndpoint();
    await using place = await hookbellHome();
    await configure(place, endpoint.url, '10m');
    await place.start();

    await ask(place);
    await place.killDaemon();
    await place.hook(ran, words);
    await until(async () => (await owed(place).catch(() => null))?.state === 'cancelled');

    assert.equal(endpoint.requests.length, 0);
  });
});
