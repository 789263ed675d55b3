import assert from 'node:assert/strict';
import { appendFile, writeFile } from 'node:fs/promises';
import { describe, test } from 'node:test';

import type { HistoryDeliveryView } from '../../src/control/contract.ts';
import { claudeTranscript } from '../support/claude-transcript.ts';
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

/** Sends the request, and waits until it settles. */
async function ask(place: HookbellHome): Promise<void> {
  await place.hook(asks, words);
  await until(async () => {
    const queue = await place.ask('GET /v1/queue', { query: { state: 'pending' } });
    return queue.some(({ heldFor }) => heldFor === 'settle');
  });
}

function entry(at: number, content: readonly object[]): string {
  const timestamp = new Date(at).toISOString();
  return `${JSON.stringify({ type: 'user', timestamp, message: { content } })}\n`;
}

function callAt(at: number): string {
  return entry(at, [{ type: 'tool_use', id: 'call', name: 'Bash', input: { command: 'ls' } }]);
}

function refusalAt(at: number): string {
  return entry(at, [
    { type: 'tool_result', tool_use_id: 'call', is_error: true },
    { type: 'text', text: '[Request interrupted by user for tool use]' },
  ]);
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
    assert.match(stdout, /"team" waits 10 min: many requests are answered before a person/);
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

  test('the transcript says that a request was refused: it is not sent, and its alert is over (E15)', async () => {
    await using endpoint = await openHttpEndpoint();
    await using place = await hookbellHome();
    await configure(place, endpoint.url, '1s');
    await place.start();
    const transcript = await claudeTranscript(place.home);
    const asked = { ...asks, transcript_path: transcript };
    await writeFile(transcript, callAt(Date.now()));

    await place.hook(asked, ['--agent', 'claude']);
    await until(async () => (await place.ask('GET /v1/alerts')).length === 1);
    await appendFile(transcript, refusalAt(Date.now()));
    await until(async () => (await place.ask('GET /v1/alerts')).length === 0);

    assert.deepEqual(
      [(await owed(place))?.state, (await owed(place))?.reason],
      [
        'cancelled',
        'Answered before a person was needed: the transcript of the session shows an interrupted turn',
      ],
    );
    const [session] = await place.ask('GET /v1/sessions');
    assert.equal(session?.state, 'done');
    assert.equal(endpoint.requests.length, 0);
  });

  test('a transcript without the answer, or of an unknown shape, keeps nothing back', async () => {
    for (const text of [callAt(Date.now()), 'no transcript\n', '{"timestamp":1}\n']) {
      await using endpoint = await openHttpEndpoint();
      await using place = await hookbellHome();
      await configure(place, endpoint.url, '300ms');
      await place.start();
      const transcript = await claudeTranscript(place.home);
      await writeFile(transcript, text);

      await place.hook({ ...asks, transcript_path: transcript }, ['--agent', 'claude']);

      await until(() => endpoint.requests.length === 1);
    }
  });
});
