import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { startMock } from '../support/reference-service/reference-server.ts';
import { hookbellHome, until } from '../support/hookbell-home.ts';

test('a budget that is used up notifies once through the channels, and not again after a restart', async () => {
  await using mock = await startMock({ now: Date.now });
  await using place = await hookbellHome();
  const told = join(place.home, 'told.ndjson');
  await place.writeConfig(`
channels: { log: { type: file, path: ${told} } }
api: { base_url: ${mock.baseUrl}, app_url: ${mock.appUrl}, key: ${mock.keys.owner} }
budget: { organization: 1, at: "00:00", until: "23:59", timezone: UTC }
routes:
  - { match: { agent: service, kind: notice, severity: critical, event: "budget.*" }, notify: log }
`);
  const lines = async (): Promise<string[]> =>
    (await readFile(told, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');

  await place.start();
  await until(async () => (await lines()).length > 0);
  await until(async () => (await place.ask('GET /v1/queue')).length === 0);
  const [event] = await place.ask('GET /v1/history');
  await place.killDaemon();
  const before = mock.requests().length;
  await place.start();
  const sessions = await place.ask('GET /v1/sessions');
  // A daemon that stops ends what its sources do first.
  await place.cli('stop');

  assert.match(event?.title ?? '', /^The budget of the organization is used up$/);
  assert.deepEqual([event?.kind, event?.agent, event?.severity], ['notice', 'service', 'critical']);
  assert.deepEqual(sessions, []);
  assert.equal((await lines()).length, 1);
  assert.equal(mock.requests().length, before);
  const log = await readFile(place.paths.log, 'utf8');
  assert.ok(!`${log}${(await lines()).join('')}`.includes(mock.keys.owner));
});
