import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { StoredSession } from '../support/reference-service/data/sessions-data.ts';
import type { Line } from '../support/file-channel-home.ts';
import { until } from '../support/hookbell-home.ts';
import type { WatchingHome } from '../support/watching-home.ts';
import { watchingHome } from '../support/watching-home.ts';

const LIST = '/api/v0/sessions';

const watchSessions = (more = ''): Promise<WatchingHome> =>
  watchingHome({ section: 'sessions', more, path: LIST });

/** Sessions that work when the service starts; they are idle after half a minute of its time. */
function working({ service }: WatchingHome): readonly StoredSession[] {
  return service.state().sessions.filter(({ status }) => status !== 'idle');
}

async function linesOf(place: WatchingHome, kind: string): Promise<readonly Line[]> {
  return (await place.lines()).filter((line) => line.kind === kind);
}

/** Each of them notified exactly once. */
function assertRang(lines: readonly Line[], sessionIds: readonly string[]): void {
  assert.deepEqual(new Set(lines.map(({ sessionId }) => sessionId)), new Set(sessionIds));
  assert.equal(lines.length, sessionIds.length);
}

test('sessions without a hook notify once when they are idle, with title and link, and never again after a restart', async () => {
  await using place = await watchSessions('link: "https://app.example.com/s/{session_id}"');
  const { service } = place;
  const sessions = working(place).map(({ sessionId }) => sessionId);
  await place.watch();
  assert.deepEqual(await place.lines(), []);

  service.clock.advance(60_000);
  await until(async () => (await linesOf(place, 'turn.done')).length >= sessions.length);
  await place.looks(1);
  await place.killDaemon();
  await place.start();
  await place.looks(1);

  const lines = await linesOf(place, 'turn.done');
  assertRang(lines, sessions);
  const titled = service
    .state()
    .sessions.find(({ sessionId, title }) => sessions.includes(sessionId) && title !== undefined);
  const line = lines.find(({ sessionId }) => sessionId === titled?.sessionId);
  assert.ok(line?.title.endsWith(`is done · ${titled?.title}`), line?.title);
  assert.match(
    line?.body ?? '',
    new RegExp(
      `^The session is completed at the service\nhttps://app\\.example\\.com/s/${titled?.sessionId}\n`,
    ),
  );
  await place.holdsNoKey();
});

test('a report about a session is withdrawn when it runs again', async () => {
  await using place = await watchSessions();
  const { service } = place;
  await place.watch();
  service.clock.advance(60_000);
  await until(async () => (await place.ask('GET /v1/alerts')).length === 5);

  // Three of the idle ones get work, one after the other.
  service.scenario('work');
  service.clock.advance(21_000);
  await until(async () => (await place.ask('GET /v1/alerts')).length === 2);
  service.clock.advance(60_000);
  await until(async () => (await place.ask('GET /v1/alerts')).length === 5);

  await until(async () => (await linesOf(place, 'turn.done')).length === 8);
  assert.equal((await linesOf(place, 'prompt')).length, 3);
});

test('a session that a hook reports notifies once', async () => {
  await using place = await watchSessions();
  const { service } = place;
  const sessions = working(place).map(({ sessionId }) => sessionId);
  const [first] = sessions;
  const payload = { session_id: first, cwd: '/home/dev/shop' };
  await place.watch();

  await place.hook({ ...payload, hook_event_name: 'UserPromptSubmit' }, ['--agent', 'droid']);
  service.clock.advance(60_000);
  await place.hook({ ...payload, hook_event_name: 'Stop' }, ['--agent', 'droid']);
  await until(async () => (await linesOf(place, 'turn.done')).length >= sessions.length);
  await place.looks(2);

  const lines = await linesOf(place, 'turn.done');
  assertRang(lines, sessions);
  const told = await place.ask('GET /v1/history');
  assert.deepEqual(
    told.filter(({ sessionId }) => sessionId === first).map(({ event }) => event),
    ['Stop', 'UserPromptSubmit'],
  );
});

test('a session that hangs pending notifies as a notice, which is over when it runs', async () => {
  await using place = await watchSessions('pending_longer_than: 1s');
  const { service } = place;
  await place.watch();

  await until(async () => (await linesOf(place, 'notice')).length === 2);
  await place.looks(1);
  service.clock.advance(10_000);
  await until(async () => (await linesOf(place, 'notice.over')).length === 2);

  const notices = await linesOf(place, 'notice');
  assert.equal(notices.length, 2);
  for (const { title, body } of notices) {
    assert.match(title, /^Session .+ has been pending for more than 1 s$/);
    assert.match(body, /^hookbell service sessions get sess_/);
  }
  assert.deepEqual(await place.ask('GET /v1/alerts'), []);
});

test('what sessions do during an outage is reported once it is over, whatever the answers were like meanwhile', async () => {
  await using place = await watchSessions();
  const { service } = place;
  const sessions = working(place).map(({ sessionId }) => sessionId);
  await place.watch();
  const retryAfter = { form: 'seconds', seconds: 1 } as const;
  const faults = [
    { path: LIST, nth: 1, times: 3, effect: { kind: 'status', status: 503 } },
    { path: LIST, nth: 4, times: 2, effect: { kind: 'status', status: 429, retryAfter } },
    { path: LIST, nth: 6, times: 1, effect: { kind: 'half-json' } },
    // Those that work come first.
    { path: LIST, nth: 7, times: 1, effect: { kind: 'bad-item', index: 0 } },
    { path: `${LIST}/*`, nth: 1, times: 2, effect: { kind: 'status', status: 500 } },
    { path: `${LIST}/*`, nth: 4, times: 1, effect: { kind: 'html' } },
  ] as const;
  for (const { effect, ...match } of faults) service.fault({ match, effect });

  service.clock.advance(60_000);
  await until(async () => (await linesOf(place, 'turn.done')).length >= sessions.length, 60_000);
  await place.looks(2);

  assertRang(await linesOf(place, 'turn.done'), sessions);
  assert.deepEqual((await place.ask('GET /v1/status')).warnings, []);
});

test('a service that says in its lists what sessions do is not asked about single ones', async () => {
  await using place = await watchSessions();
  const { service } = place;
  service.fault({ effect: { kind: 'list-status' } });
  const sessions = working(place);
  await place.watch();

  await place.looks(1);

  assert.equal(sessions.length, 5);
  const asked = service.requests().filter(({ pathname }) => pathname.startsWith(`${LIST}/`));
  assert.deepEqual(asked, []);
});
