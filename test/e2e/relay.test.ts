import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, chmod, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';

import { until } from '../support/hookbell-home.ts';
import { openHttpEndpoint } from '../support/http-endpoint.ts';
import { needs } from '../support/system-part.ts';
import { startFaultySmtp } from '../support/smtp-faults.ts';
import type { RelayPair } from '../support/relay-pair.ts';
import { question, relayPair, withInput } from '../support/relay-pair.ts';

const shiftedClock = fileURLToPath(new URL('../support/shifted-clock.js', import.meta.url));

async function waitingAt({ remote }: RelayPair): Promise<number> {
  return (await remote.ask('GET /v1/status')).relay?.waiting ?? -1;
}

async function eventIds({ home }: RelayPair): Promise<readonly string[]> {
  return (await home.lines()).map(({ eventId }) => eventId);
}

/** Of all events the remote has, oldest first. */
async function relayedIds({ remote }: RelayPair): Promise<readonly string[]> {
  const history = await remote.ask('GET /v1/history', { query: { limit: '10000' } });
  return history.map(({ eventId }) => eventId).toReversed();
}

test('an event of another machine notifies once at home, with its name, and not where it happened', async () => {
  await using both = await relayPair();
  const { home, remote, socket } = both;
  await home.start();
  await remote.start();

  const paired = await both.pair('devbox', socket);
  await remote.hook(question('s1'));
  await until(async () => (await home.lines()).length === 1);

  assert.match(paired.stderr, /The link works: .* knows this machine as "devbox"/);
  const [line] = await home.lines();
  assert.equal(line?.sessionId, 's1');
  assert.match(line.body, /Computer: devbox/);
  const here = await home.ask('GET /v1/events', { part: 'last' });
  const there = await remote.ask('GET /v1/events', { part: 'last' });
  assert.equal(here.eventId, there.eventId);
  assert.equal(here.machine, 'devbox');
  assert.equal(here.at, there.at);
  assert.ok(here.receivedAt >= there.receivedAt);
  assert.deepEqual(there.deliveries, []);
  assert.equal(there.decisions.at(-1)?.stage, 'relay');
  const [session] = await home.ask('GET /v1/sessions');
  assert.equal(session?.computer, 'devbox');
  assert.equal((await home.ask('GET /v1/history', { query: { session: 's1' } })).length, 1);
  assert.equal((await home.cli('ack', 's1')).code, 0);
  assert.equal(await waitingAt(both), 0);
});

test('the title that only the transcript of the far machine holds is relayed with the event', async () => {
  await using both = await relayPair();
  const { home, remote, socket } = both;
  await home.start();
  await remote.start();
  await both.pair('devbox', socket);
  const transcript = join(remote.home, '.claude/projects/shop/s1.jsonl');
  await mkdir(dirname(transcript), { recursive: true });
  await writeFile(transcript, '{"type":"ai-title","aiTitle":"Fix the cart"}\n', { mode: 0o600 });

  await remote.hook(question('s1', { transcript_path: transcript }), ['--agent', 'claude']);
  await until(async () => (await home.lines()).length === 1);

  const [line] = await home.lines();
  assert.match(line?.title ?? '', /Fix the cart/);
  const [session] = await home.ask('GET /v1/sessions');
  assert.equal(session?.title, 'Fix the cart');
});

test('the token is kept by the far side alone, in a file of mode 0600, and no command prints it', async () => {
  await using both = await relayPair();
  const { home, remote, socket } = both;
  await home.start();
  const token = (await home.cli('remote', 'pair', 'devbox')).stdout.trim();

  const kept = await withInput(remote, `${token}\n`, ['remote', 'pair', '--to', socket, '--json']);

  const file = join(dirname(remote.paths.config), 'relay-token');
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.equal((await stat(home.paths.machines)).mode & 0o777, 0o600);
  assert.ok(!(await readFile(home.paths.machines, 'utf8')).includes(token.split('.')[2] ?? '-'));
  const list = await home.cli('remote', 'list', '--json');
  for (const said of [kept.stdout, kept.stderr, list.stdout]) assert.ok(!said.includes(token));
  const [listed] = JSON.parse(list.stdout);
  assert.deepEqual([listed.machine, listed.scope], ['devbox', 'events']);
  const again = await home.cli('remote', 'pair', 'devbox');
  assert.equal(again.code, 1);
  assert.match(again.stderr, /"devbox" is already paired/);
});

test('events during an outage of the link are handed on in order when it is up, and those answered meanwhile do not notify', async () => {
  await using slack = await openHttpEndpoint();
  await using both = await relayPair({ team: slack.url });
  const { home, remote, socket } = both;
  await home.start();
  await remote.start();
  await both.pair('devbox', socket);
  await remote.hook(question('s0', { tool_name: 'Before' }));
  await until(async () => (await home.lines()).length === 1);
  // Else it would be written a second time, as what was under way when the daemon was killed.
  await until(async () => (await home.ask('GET /v1/queue')).length === 0);
  await home.killDaemon();

  for (const [session, event] of [
    ['a', 'PermissionRequest'],
    ['b', 'PermissionRequest'],
    ['a', 'UserPromptSubmit'],
    ['b', 'UserPromptSubmit'],
    ['b', 'Stop'],
  ] as const) {
    const asks = event === 'PermissionRequest' ? { tool_name: 'Meanwhile' } : { prompt: 'Go on' };
    await remote.hook(question(session, { hook_event_name: event, ...asks }));
  }
  await until(async () => (await waitingAt(both)) === 5);
  const down = await remote.cli('doctor', '--json');
  await home.start();
  await until(async () => (await waitingAt(both)) === 0, 60_000);
  await until(async () => (await home.lines()).length === 6);
  // Slack receives messages in order: notifications for the others would have come before this.
  await remote.hook(question('c', { tool_name: 'After' }));
  await until(() => slack.requests.some(({ body }) => body.includes('After')));

  assert.match(down.stdout, /cannot forward events to .*(connection refused|no such socket)/);
  await until(async () => (await home.lines()).length === 7);
  // Sessions keep their own order; among each other they may change places.
  assert.deepEqual((await eventIds(both)).toSorted(), (await relayedIds(both)).toSorted());
  const sentTexts = slack.requests.map(({ body }) => /Before|Meanwhile|After/.exec(body)?.[0]);
  assert.deepEqual(sentTexts, ['Before', 'After']);
});

test('what waits to be relayed outlasts a configuration that has no "relay" for a while (A3)', async () => {
  await using both = await relayPair();
  const { home, remote, socket } = both;
  await home.start();
  await remote.start();
  await both.pair('devbox', socket);
  await home.killDaemon();
  await remote.hook(question('s1'));
  await until(async () => (await waitingAt(both)) === 1);

  const good = await readFile(remote.paths.config, 'utf8');
  await remote.writeConfig('{}\n');
  await until(async () => (await remote.ask('GET /v1/status')).relay === null);
  await remote.writeConfig(good);
  await until(async () => (await remote.ask('GET /v1/status')).relay !== null);

  assert.equal(await waitingAt(both), 1);
  await home.start();
  await until(async () => (await home.lines()).length === 1, 60_000);
});

test('nothing is lost, taken twice or taken in another order when either daemon is killed while a backlog is handed on', async () => {
  await using both = await relayPair();
  const { home, remote, socket } = both;
  await home.start();
  await remote.start();
  await both.pair('devbox', socket);
  await home.killDaemon();
  for (let number = 0; number < 300; number += 1) {
    await writeFile(
      join(remote.paths.spool, `0190a5e0-0000-7000-8000-${String(number).padStart(12, '0')}`),
      envelope(number),
      { mode: 0o600 },
    );
  }
  await until(async () => (await waitingAt(both)) === 300);

  await home.start();
  await until(async () => (await home.ask('GET /v1/status')).events > 0, 60_000);
  await home.killDaemon();
  await remote.killDaemon();
  await remote.start();
  await home.start();
  await until(async () => (await waitingAt(both)) === 0, 60_000);
  await until(async () => (await home.ask('GET /v1/status')).deliveries.pending === 0);

  const ids = await relayedIds(both);
  const seen = (await home.ask('GET /v1/history', { query: { limit: '10000' } })).map(
    ({ eventId }) => eventId,
  );
  assert.equal(ids.length, 300);
  assert.deepEqual(seen.toReversed(), ids);
});

function envelope(number: number): string {
  const name = `0190a5e0-0000-7000-8000-${String(number).padStart(12, '0')}`;
  const payload = JSON.stringify(question(`s${number % 5}`, { tool_name: `T${number}` }));
  return `hookbell 1\nagent=claude\n\n${payload}\nhookbell-end ${name}\n`;
}

test('a revoked token: one notice on the far side and no storm, and everything again with a new one', async () => {
  await using both = await relayPair();
  const { home, remote, socket } = both;
  await home.start();
  await using smtp = await startFaultySmtp();
  await remote.writeConfig(
    `channels: { mail: { type: email, to: [me@x.test], smtp: { host: 127.0.0.1, port: ${smtp.port}, starttls: never } } }\n`,
  );
  await remote.start();
  await both.pair('devbox', socket);

  const revoked = await home.cli('remote', 'revoke', 'devbox');
  for (let session = 0; session < 5; session += 1) await remote.hook(question(`s${session}`));
  await until(async () => (await remote.ask('GET /v1/status')).relay?.state === 'refused');
  const told: string[] = [];
  await until(() => {
    told.push(...smtp.takeMails().map(({ raw }) => raw.toString()));
    return told.length > 0;
  });
  const { relay, warnings } = await remote.ask('GET /v1/status');

  assert.equal(revoked.code, 0);
  assert.equal(relay?.waiting, 5);
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? '', /rejected the token: it is wrong, or was revoked/);
  assert.equal((await home.ask('GET /v1/status')).events, 0);
  const refusals = (await readFile(home.paths.log, 'utf8')).match(/no paired machine signed/g);
  assert.ok((refusals?.length ?? 0) <= 2, `${refusals?.length} requests with a revoked token`);
  const again = await both.pair('devbox', socket);
  assert.match(again.stderr, /The link works/);
  await until(async () => (await home.lines()).length === 5);
  assert.deepEqual((await remote.ask('GET /v1/status')).warnings, []);
  assert.equal([...told, ...smtp.takeMails()].length, 1);
});

test('what waits to be relayed outlasts 25 h of sleep, longer than the history is kept (A4)', async () => {
  await using both = await relayPair();
  const { home, remote, socket } = both;
  const clock = join(remote.home, 'clock');
  await writeFile(clock, '0');
  for (const { env } of [home, remote]) env['HOOKBELL_TEST_CLOCK'] = clock;
  await home.start(['--import', shiftedClock]);
  await remote.writeConfig('history: { keep: 1h }\n');
  await remote.start(['--import', shiftedClock]);
  await both.pair('devbox', socket);
  await home.killDaemon();
  for (let session = 0; session < 5; session += 1) await remote.hook(question(`s${session}`));
  await until(async () => (await waitingAt(both)) === 5);

  await writeFile(clock, String(25 * 3_600_000));
  await home.start(['--import', shiftedClock]);

  await until(async () => (await home.lines()).length === 5, 60_000);
});

test('a wrong clock is reported with its difference, and events wait until it is right', async () => {
  await using both = await relayPair();
  const { home, remote, socket } = both;
  await home.start();
  const clock = join(remote.home, 'clock');
  await writeFile(clock, String(12 * 60_000));
  Object.assign(remote.env, { HOOKBELL_TEST_CLOCK: clock });
  await remote.start(['--import', shiftedClock]);
  await both.pair('devbox', socket);
  await remote.hook(question('s1'));
  await until(async () => (await remote.ask('GET /v1/status')).relay?.state === 'refused');

  const [warning] = (await remote.ask('GET /v1/status')).warnings;

  assert.match(warning ?? '', /the clock here is 12 min( \d s)? ahead of the one there/);
  assert.equal((await home.ask('GET /v1/status')).events, 0);
  await writeFile(clock, '0');
  await until(async () => (await remote.ask('GET /v1/relay'))?.ok ?? false);
  await remote.ask('POST /v1/reload');
  await until(async () => (await home.lines()).length === 1);
});

test(
  'over HTTPS with a self-signed certificate: the far side takes it on request, and nothing else',
  { skip: needs('openssl') },
  async () => {
    await using keys = await relayPair();
    const { home, remote } = keys;
    await selfSigned(home.home);
    const port = await freePort();
    const to = `https://127.0.0.1:${port}`;
    await home.writeConfig(`${await readFile(home.paths.config, 'utf8').then((text) => text.replace('listen: {}', ''))}
listen: { port: ${port}, host: 127.0.0.1, certificate: ${home.home}/cert.pem, key: ${home.home}/key.pem }
`);
    await home.start();
    await remote.start();

    const unknown = await keys.pair('devbox', to);
    await home.cli('remote', 'revoke', 'devbox');
    await rename(remote.paths.config, `${remote.paths.config}.old`);
    const known = await keys.pair('devbox', to, ['--certificate', `${home.home}/cert.pem`]);
    await remote.hook(question('s1'));

    assert.match(unknown.stderr, /its certificate is self-signed/);
    assert.match(known.stderr, /The link works/);
    await until(async () => (await home.lines()).length === 1);
    const doctor = await remote.cli('doctor', '--json');
    assert.match(doctor.stdout, /knows this machine as \\"devbox\\"/);
  },
);

test('without TLS only this machine is accepted: the configuration is refused', async () => {
  await using both = await relayPair({ listen: 'listen: { port: 7777, host: 0.0.0.0 }' });

  const checked = await both.home.cli('config', 'check');

  assert.equal(checked.code, 3);
  assert.match(
    checked.stdout,
    /listen\.host: is "0\.0\.0\.0", which other machines can reach without TLS/,
  );
});

test('"hookbell remote listen" says where it listens from now on', async () => {
  await using both = await relayPair({ listen: '' });
  const { home, socket } = both;
  await home.start();

  const listening = await home.cli('remote', 'listen', '--json');

  assert.equal(listening.code, 0, listening.stderr);
  assert.deepEqual(JSON.parse(listening.stdout).addresses, [socket]);
  assert.equal((await stat(socket)).mode & 0o777, 0o600);
  assert.equal((await home.cli('remote', 'listen')).stdout.trim(), socket);
});

async function selfSigned(directory: string): Promise<void> {
  const words =
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=home -addext subjectAltName=IP:127.0.0.1 -keyout key.pem -out cert.pem';
  const child = spawn('openssl', words.split(' '), { cwd: directory, stdio: 'ignore' });
  await new Promise((resolve) => child.once('close', resolve));
  await chmod(join(directory, 'key.pem'), 0o600);
}

async function freePort(): Promise<number> {
  const { createServer } = await import('node:net');
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
