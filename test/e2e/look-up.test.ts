import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import type { StoredSession } from '../support/reference-service/data/sessions-data.ts';
import type { Mock } from '../support/reference-service/reference-server.ts';
import { startMock } from '../support/reference-service/reference-server.ts';
import type { FileChannelHome, Line } from '../support/file-channel-home.ts';
import { fileChannelHome } from '../support/file-channel-home.ts';
import { until } from '../support/hookbell-home.ts';

/** A home whose daemon knows the reference service; `more` goes into the section "api". */
async function homeWith(service: Mock, more = ''): Promise<FileChannelHome> {
  const place = await fileChannelHome();
  const config = await readFile(place.paths.config, 'utf8');
  const api = `api: { base_url: "${service.baseUrl}", key: { env: AGENT_KEY }${more} }\n`;
  await place.writeConfig(config + api);
  place.env['AGENT_KEY'] = service.keys.owner;
  // The service knows sessions of droid only.
  const hook: FileChannelHome['hook'] = (payload) => place.hook(payload, ['--agent', 'droid']);
  return { ...place, hook };
}

/** Starts the daemon and opens its connection to the service: a look-up has 800 ms, and on a busy machine the first one needs more. */
async function startWarm(place: FileChannelHome): Promise<void> {
  await place.start();
  await until(async () => (await place.ask('GET /v1/api')).state === 'ok');
}

function stopOf(sessionId: string, fields: object = {}): object {
  return { session_id: sessionId, cwd: '/home/dev/shop', hook_event_name: 'Stop', ...fields };
}

async function firstLine(place: FileChannelHome): Promise<Line> {
  await until(async () => (await place.lines()).length > 0);
  const [line] = await place.lines();
  assert.ok(line);
  return line;
}

function sessionThat(service: Mock, fits: (session: StoredSession) => boolean): StoredSession {
  const found = service.state().sessions.find(fits);
  assert.ok(found);
  return found;
}

const isKnown = ({ status, title, computerId, sessionSettings }: StoredSession): boolean =>
  status === 'idle' && [title, computerId, sessionSettings].every((one) => one !== undefined);

describe('the session look-up', () => {
  test('a notification carries title, computer and credits of the service, and `sessions` remembers them (acceptance 012, 032, A40)', async () => {
    await using service = await startMock({ now: Date.now });
    await using place = await homeWith(service);
    const session = sessionThat(service, isKnown);
    const computer = service.state().computers.find(({ id }) => id === session.computerId);
    await place.start();

    // A slow machine may need longer for the first answer than a notification waits.
    await place.hook(stopOf(session.sessionId, { hook_event_name: 'UserPromptSubmit' }));
    await until(async () => typeof (await place.ask('GET /v1/sessions'))[0]?.computer === 'string');
    await place.hook(stopOf(session.sessionId));
    await until(async () => (await place.lines()).length === 2);
    const [, line] = await place.lines();

    assert.ok(line);
    assert.match(line.title, / is done(?: \(\d+ s\))? · /);
    assert.ok(line.title.endsWith(` · ${session.title}`), line.title);
    assert.match(line.body, new RegExp(`Computer: ${computer?.name} · .*credits.* token usage\\)`));

    const before = service.requests().length;
    const { stdout } = await place.cli('sessions', '--json');
    const [view] = JSON.parse(stdout);
    assert.deepEqual([view.title, view.computer], [session.title, computer?.name]);
    assert.equal(service.requests().length, before);
  });

  test('without a key no service is asked, and the first prompt names the session (acceptance 032)', async () => {
    await using service = await startMock({ now: Date.now });
    await using place = await homeWith(service);
    const config = await readFile(place.paths.config, 'utf8');
    await place.writeConfig(config.replace(', key: { env: AGENT_KEY }', ''));
    await place.start();

    await place.hook(stopOf('s1', { hook_event_name: 'UserPromptSubmit', prompt: 'Fix it' }));
    await place.hook(stopOf('s1'));
    await until(async () => (await place.lines()).length === 2);

    assert.match((await place.lines())[1]?.body ?? '', /Session: Fix it/);
    assert.deepEqual(service.requests(), []);
    assert.match((await place.cli('status')).stdout, /^look-up +off/m);
    assert.match(
      (await place.cli('doctor', '--all')).stdout,
      /^skipped +session look-up +off: no key/m,
    );
  });

  test('a service that hangs keeps no notification back, and one that refuses the key is reported by `status` and `doctor`', async () => {
    await using service = await startMock({ now: Date.now });
    await using place = await homeWith(service);
    const session = sessionThat(service, isKnown);
    service.fault({ match: { path: '/api/v0/sessions/*' }, effect: { kind: 'hang' } });
    await place.start();

    await place.hook(stopOf(session.sessionId));
    assert.match((await firstLine(place)).title, /^shop /);

    service.reset();
    service.fault({ effect: { kind: 'revoke-key' } });
    await place.hook(stopOf('another'));
    await until(async () => (await place.ask('GET /v1/status')).api.state === 'paused');

    assert.match((await place.cli('status')).stdout, /^look-up +paused until .*401/m);
    const { stdout, stderr } = await place.cli('doctor');
    assert.match(stdout, /^warning +session look-up .*401/m);
    assert.ok(!`${stdout}${stderr}`.includes(service.keys.owner));
  });

  test('`doctor` says how long the service took to answer', async () => {
    await using service = await startMock({ now: Date.now });
    await using place = await homeWith(service);
    await place.start();

    const { stdout } = await place.cli('doctor', '--all');

    assert.match(stdout, /^ok +session look-up +the service answered in \d+ ms/m);
    assert.deepEqual(
      service.requests().map(({ routeId }) => routeId),
      ['sessions.list'],
    );
  });

  test('a title in the transcript stands in for one the service does not know', async () => {
    await using place = await fileChannelHome();
    const transcript = join(place.home, 't.jsonl');
    await writeFile(transcript, '{"type":"ai-title","aiTitle":"Mend the till","sessionId":"s1"}\n');
    await place.start();

    await place.hook(stopOf('s1', { transcript_path: transcript }), ['--agent', 'droid']);

    assert.match((await firstLine(place)).title, / · Mend the till$/);
    await until(async () => (await place.ask('GET /v1/sessions'))[0]?.title === 'Mend the till');
  });
});

describe('api.hold_stop_while_running', () => {
  test('a Stop waits while the session runs, across a restart of the daemon, and is then sent as still working', async () => {
    // Its clock stands still: what is pending stays pending.
    await using service = await startMock({ now: Date.UTC(2026, 6, 1) });
    await using place = await homeWith(service, ', hold_stop_while_running: 8s');
    const session = sessionThat(service, ({ status }) => status === 'pending');
    await startWarm(place);

    await place.hook(stopOf(session.sessionId));
    const heldForRunning = async (): Promise<boolean> => {
      const [delivery] = await place.ask('GET /v1/queue');
      return delivery?.heldFor === 'running' && delivery.dueAt > delivery.createdAt;
    };
    await until(heldForRunning);
    assert.deepEqual(await place.lines(), []);
    await place.killDaemon();
    await startWarm(place);

    assert.match((await firstLine(place)).title, /is still working · /);
    const { stdout } = await place.cli('explain', 'last');
    assert.match(stdout, /The session still runs: "out" is held until/);
    assert.match(stdout, /"out" is notified that the session still runs/);
  });

  test('a Stop is dropped where the configuration wants that', async () => {
    await using service = await startMock({ now: Date.UTC(2026, 6, 1) });
    const drop = ', hold_stop_while_running: 1s, hold_stop_then: drop';
    await using place = await homeWith(service, drop);
    const session = sessionThat(service, ({ status }) => status === 'running');
    await startWarm(place);

    await place.hook(stopOf(session.sessionId));
    await until(async () => {
      const [entry] = await place.ask('GET /v1/history');
      return entry?.deliveries.every(({ state }) => state === 'cancelled') === true;
    });

    assert.deepEqual(await place.lines(), []);
    const { stdout } = await place.cli('explain', 'last');
    assert.match(stdout, /"out" is not notified: the session still runs/);
  });

  test('a Stop of a session that is idle, or unknown to the service, is sent immediately', async () => {
    await using service = await startMock({ now: Date.UTC(2026, 6, 1) });
    await using place = await homeWith(service, ', hold_stop_while_running: 10m');
    const session = sessionThat(service, isKnown);
    await startWarm(place);

    await place.hook(stopOf(session.sessionId));
    await place.hook(stopOf('unknown'));

    await until(async () => (await place.lines()).length === 2);
    assert.ok((await place.lines()).every(({ title }) => title.includes(' is done')));
  });
});
