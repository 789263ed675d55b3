import assert from 'node:assert/strict';
import { test } from 'node:test';

import { until } from '../support/hookbell-home.ts';
import type { WatchingHome } from '../support/watching-home.ts';
import { watchingHome } from '../support/watching-home.ts';

const LIST = '/api/v0/computers';

const watchComputers = (more = ''): Promise<WatchingHome> =>
  watchingHome({ section: 'computers', more, path: LIST });

async function titles(place: WatchingHome): Promise<readonly string[]> {
  return (await place.lines()).map(({ title }) => title);
}

test('a computer that fails notifies once, `computers retry` helps, and the alert ends when it is active again', async () => {
  await using place = await watchComputers();
  const { service } = place;
  await place.watch();

  service.scenario('computer-fails');
  await until(async () => (await place.lines()).length > 0);
  await place.looks(2);
  const [failed, ...more] = await place.lines();
  assert.deepEqual(more, []);
  assert.match(failed?.title ?? '', /^Computer "cloud 1\/eu" failed at "install-dependencies"$/);
  assert.match(
    failed?.body ?? '',
    /^Error: npm ci ended with exit code 137\nInstall session: .+\nTo install its dependencies again: hookbell service computers retry 'cloud 1\/eu'$/,
  );
  assert.deepEqual([failed?.kind, failed?.severity], ['notice', 'critical']);
  assert.equal((await place.ask('GET /v1/alerts')).length, 1);

  assert.equal((await place.cli('service', 'computers', 'retry', 'cloud 1/eu')).code, 0);
  await place.looks(1);
  assert.equal((await place.ask('GET /v1/alerts')).length, 1);
  service.clock.advance(30_000);
  await until(async () => (await place.ask('GET /v1/alerts')).length === 0);

  await until(async () => (await place.lines()).length === 2);
  assert.deepEqual((await titles(place)).slice(1), ['Computer "cloud 1/eu" is active again']);
  assert.deepEqual(await place.ask('GET /v1/sessions'), []);
  await place.holdsNoKey();
});

test('a daemon that starts again does not repeat computers it has reported, and goes on where it was', async () => {
  await using place = await watchComputers();
  const { service } = place;
  await place.watch();
  service.scenario('computer-fails');
  await until(async () => (await place.lines()).length > 0);
  // What was reported is stored before the next look.
  await place.looks(0);
  await place.killDaemon();

  await place.start();
  await place.looks(1);
  const before = await titles(place);
  await place.cli('service', 'computers', 'retry', 'cloud 1/eu');
  service.clock.advance(30_000);
  await until(async () => (await place.lines()).length > 1);

  assert.equal(before.length, 1);
  assert.equal((await titles(place))[1], 'Computer "cloud 1/eu" is active again');
});

test('a computer that is set up for too long notifies', async () => {
  await using place = await watchComputers('provisioning_longer_than: 1s');
  await place.watch();

  await until(async () => (await place.lines()).length > 0);

  assert.deepEqual(await titles(place), [
    'Computer "cloud-3" has been in setup for more than 1 s, now at "install-dependencies"',
  ]);
});

test('what happens during an outage is reported once it is over, whatever the answers were like meanwhile', async () => {
  await using place = await watchComputers();
  const { service } = place;
  await place.watch();
  const retryAfter = { form: 'seconds', seconds: 1 } as const;
  const faults = [
    { nth: 1, times: 3, effect: { kind: 'status', status: 503 } },
    { nth: 4, times: 2, effect: { kind: 'status', status: 429, retryAfter } },
    { nth: 6, times: 1, effect: { kind: 'half-json' } },
    // The first of the list is not the one that fails.
    { nth: 7, times: 1, effect: { kind: 'bad-item' } },
  ] as const;
  for (const { effect, ...match } of faults) {
    service.fault({ match: { path: LIST, ...match }, effect });
  }

  service.scenario('computer-fails');
  await until(async () => (await place.lines()).length > 0, 40_000);
  await place.looks(2);

  assert.deepEqual(await titles(place), ['Computer "cloud 1/eu" failed at "install-dependencies"']);
  const { warnings } = await place.ask('GET /v1/status');
  assert.deepEqual(warnings, []);
});

test('a key that is refused is a warning of the daemon, and computers are left alone (acceptance 199)', async () => {
  await using place = await watchComputers();
  place.env['AGENT_KEY'] = place.service.keys.revoked;

  await place.start();
  await until(async () => (await place.ask('GET /v1/status')).warnings.length > 0);
  const { warnings } = await place.ask('GET /v1/status');

  assert.match(warnings[0] ?? '', /^Computer watch failed and will be retried: /);
  assert.ok(!warnings.join('').includes(place.service.keys.revoked));
});
