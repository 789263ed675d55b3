import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import type { EveryChannelHome } from '../support/every-channel-home.ts';
import { everyChannel, everyChannelHome } from '../support/every-channel-home.ts';
import { until } from '../support/hookbell-home.ts';
import { seededSecrets } from '../support/seeded-secrets.ts';

const secrets = seededSecrets.map(({ secret }) => secret);

/** One secret a line, in texts that no channel cuts. */
const texts = [0, 1, 2, 3, 4, 5].map((part) =>
  seededSecrets
    .filter((_, index) => index % 6 === part)
    .map(({ secret, text = (value) => value }) => text(secret))
    .join('\n'),
);

/** Wherever an agent can put a secret: message, prompt, output and input of a tool, error. */
function payloadsOf(text: string, index: number): readonly object[] {
  const common = { session_id: `s${index}`, cwd: '/home/dev/shop' };
  return [
    { ...common, hook_event_name: 'Notification', message: text },
    { ...common, hook_event_name: 'UserPromptSubmit', prompt: text },
    {
      ...common,
      hook_event_name: 'PostToolUse',
      tool_name: 'Bash',
      tool_input: { command: text },
      tool_response: { stdout: text, apiKey: 'hunter22' },
    },
    { ...common, hook_event_name: 'StopFailure', error: 'server_error', error_details: text },
  ];
}

async function play(place: EveryChannelHome): Promise<void> {
  await place.start();
  const payloads = texts.flatMap(payloadsOf);
  for (const payload of payloads) await place.hook(payload, ['--agent', 'claude']);
  await place.handOver(`{"cut": ${JSON.stringify(texts.join('\n')).slice(0, -1)}`);
  await until(async () => {
    const { spool, deliveries, events } = await place.ask('GET /v1/status');
    const isDone = spool.pending === 0 && spool.quarantined === 1 && deliveries.pending === 0;
    return isDone && events === payloads.length;
  });
}

/** What a person can make the command line print. */
const readings: readonly (readonly string[])[] = [
  ['history'],
  ['history', '--json'],
  ['sessions'],
  ['sessions', '--json'],
  ['queue', '--state', 'sent'],
  ['queue', '--state', 'sent', '--json'],
  ['status'],
  ['status', '--json'],
  ['doctor'],
  ['explain', 'last'],
  ['explain', 'last', '--verbose'],
];

async function outputs(place: EveryChannelHome): Promise<readonly (readonly [string, string])[]> {
  const said: [string, string][] = [];
  for (const words of readings) {
    const { stdout, stderr } = await place.cli(...words);
    said.push([words.join(' '), stdout + stderr]);
  }
  return said;
}

function found(text: string): readonly string[] {
  return secrets.filter((secret) => text.includes(secret));
}

test('a seeded secret of every rule reaches no channel, no log, no terminal and no listing (T11, fault 55)', async () => {
  await using place = await everyChannelHome();
  await play(place);

  for (const channel of everyChannel) {
    const receipts = await place.receipts(channel);
    const raw = receipts.map((receipt) => receipt.raw).join('\n');
    assert.deepEqual([channel, found(raw)], [channel, []]);
  }
  const told = (await place.receipts('hook')).map(({ raw }) => raw).join('\n');
  const untold = seededSecrets.filter(({ rule }) => !told.includes(`[redacted:${rule}]`));
  assert.deepEqual(untold, []);

  assert.deepEqual(found(await readFile(place.paths.log, 'utf8')), []);
  for (const [words, text] of await outputs(place))
    assert.deepEqual([words, found(text)], [words, []]);
  assert.deepEqual(found(JSON.stringify(await place.ask('GET /v1/quarantine'))), []);
  assert.deepEqual(found(await notes(place)), []);
});

test('a history without secrets is one without them on disk, too (T11, fault 55)', async () => {
  await using place = await everyChannelHome('redact: { history: on }\n');
  await play(place);

  const events = await place.ask('GET /v1/history');
  const exported = await place.cli('history', '--export');
  const explained = await place.cli('explain', events[0]?.eventId ?? '', '--json');
  assert.deepEqual(found(exported.stdout + explained.stdout), []);
  assert.match(exported.stdout, /"apiKey":"\[redacted:key\]"/);

  for (const name of await readdir(place.paths.state)) {
    if (!name.startsWith('hookbell.db')) continue;
    const bytes = await readFile(join(place.paths.state, name), 'latin1');
    assert.deepEqual([name, found(bytes)], [name, []]);
  }
});

test('without it the history keeps what the hook received, for replay', async () => {
  await using place = await everyChannelHome();
  await place.start();
  const payload = {
    session_id: 's',
    hook_event_name: 'Stop',
    last_assistant_message: 'pwd=hunter22',
  };
  await place.hook(payload);
  await until(async () => (await place.ask('GET /v1/status')).events === 1);

  const { payload: stored, body } = await place.ask('GET /v1/events', { part: 'last' });

  assert.deepEqual(JSON.parse(stored), payload);
  assert.match(body, /pwd=\[redacted:assignment\]/);
});

/** The reasons that lie beside the files in quarantine. */
async function notes({ paths }: EveryChannelHome): Promise<string> {
  const names = await readdir(paths.quarantine);
  const reasons = names.filter((name) => name.endsWith('.reason'));
  const read = reasons.map((name) => readFile(join(paths.quarantine, name), 'utf8'));
  return (await Promise.all(read)).join('\n');
}
