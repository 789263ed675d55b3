import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import type { Mock } from '../support/reference-service/reference-server.ts';
import { startMock } from '../support/reference-service/reference-server.ts';
import type { HookbellHome } from '../support/hookbell-home.ts';
import { hookbellHome, until } from '../support/hookbell-home.ts';

const DAY = 86_400_000;

interface AuditedHome {
  /** The messages sent, one line each. */
  readonly lines: () => Promise<readonly string[]>;
  /** Lets the daemon look at both once, and ends it. */
  readonly look: () => Promise<void>;
}

/** A home that watches readiness and controls, and writes its messages to a file. */
async function auditedHome(mock: Mock, place: HookbellHome): Promise<AuditedHome> {
  const told = join(place.home, 'told.ndjson');
  await place.writeConfig(`
channels: { log: { type: file, path: ${told} } }
api: { base_url: ${mock.baseUrl}, app_url: ${mock.appUrl}, key: ${mock.keys.owner} }
watch: { readiness: {}, controls: {} }
routes: [{ match: { agent: service }, notify: log }]
`);
  const answered = (id: string): number =>
    mock.requests().filter(({ routeId, sent }) => routeId === id && sent === 200).length;
  return {
    lines: async () =>
      (await readFile(told, 'utf8').catch(() => '')).split('\n').filter((line) => line !== ''),
    async look() {
      const wanted = [answered('readiness.list') + 2, answered('org.history') + 1] as const;
      await place.start();
      // The walk over readiness reports ends with an empty page.
      await until(() => answered('readiness.list') >= wanted[0]);
      await until(() => answered('org.history') >= wanted[1]);
      await until(async () => (await place.ask('GET /v1/queue')).length === 0);
      await place.cli('stop');
    },
  };
}

/** Everything hookbell keeps and says. */
async function traces(place: HookbellHome): Promise<string> {
  const files = await readdir(place.paths.state, { recursive: true, withFileTypes: true });
  const reading = files
    // `launch` keeps the variables that the configuration names (decision 16), and the last good configuration is a copy.
    .filter((file) => file.isFile() && !/^(?:launch|config\.last)/.test(file.name))
    .map((file) => readFile(join(file.parentPath, file.name), 'latin1'));
  const kept = await Promise.all(reading);
  await place.start();
  const said: string[] = [];
  for (const words of [
    ['history'],
    ['history', '--export'],
    ['status', '--json'],
    ['queue', '--state', 'sent'],
    ['explain', 'last', '--verbose'],
  ]) {
    const { stdout, stderr } = await place.cli(...words);
    said.push(stdout, stderr);
  }
  return [...kept, ...said].join('\n');
}

test('a readiness regression and a loosened control notify once each, not at first sight and not again on unchanged data', async () => {
  await using mock = await startMock({ now: Date.now });
  await using place = await hookbellHome();
  const { look, lines } = await auditedHome(mock, place);

  await look();
  await look();
  assert.deepEqual(await lines(), []);

  mock.clock.advance(DAY);
  mock.scenario('readiness-falls');
  mock.scenario('controls-loosened');
  await place.start();
  await until(async () => (await lines()).length >= 2);
  await place.cli('stop');
  await look();
  mock.clock.advance(DAY);
  mock.scenario('controls-loosened');
  await place.start();
  await until(async () => (await lines()).length >= 3);
  await place.cli('stop');

  const told = await lines();
  const count = (pattern: RegExp): number => told.filter((line) => pattern.test(line)).length;
  assert.equal(told.length, 3);
  assert.equal(
    count(/"severity":"warning".*Readiness of git\.example\.com\/acme\/api fell: tests/),
    1,
  );
  assert.equal(
    count(/"severity":"critical".*loosened the enterprise controls: commandAllowlist/),
    2,
  );
  const everything = `${await traces(place)}${told.join('\n')}`;
  assert.match(everything, /customModels\["custom:team-llm"\]\.apiKey was changed/);
  assert.ok(!everything.includes('mock-secret'));
  assert.ok(!everything.includes(mock.keys.owner));
});

test('a service in trouble, and one that forbids, lose no regression and no change: they are reported once it works again', async () => {
  await using mock = await startMock({ now: Date.now });
  await using place = await hookbellHome();
  const { look, lines } = await auditedHome(mock, place);
  await look();
  mock.scenario('readiness-falls');
  mock.scenario('controls-loosened');

  const over = [
    mock.fault({
      match: { path: '/api/organization/maturity-level-reports' },
      effect: { kind: 'half-json' },
    }),
    mock.fault({ effect: { kind: 'v0-off' } }),
  ];
  await place.start();
  await until(async () => (await place.ask('GET /v1/status')).warnings.length > 0);
  const { warnings } = await place.ask('GET /v1/status');
  await place.cli('stop');
  for (const end of over) end();
  await place.start();
  await until(async () => (await lines()).length >= 2);

  assert.match(JSON.stringify(warnings), /Enterprise controls watch failed/);
  assert.equal((await lines()).length, 2);
});
