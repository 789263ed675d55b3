import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

import { startMock } from '../../support/reference-service/reference-server.ts';
import { hookbellHome, until } from '../../support/hookbell-home.ts';
import { askHub, hubTeam, signed } from '../../support/hub-team.ts';
import { needsPostgres } from '../../support/postgres.ts';
import { question } from '../../support/relay-pair.ts';
import { needs } from '../../support/system-part.ts';

const skip = needsPostgres() || needs('openssl');

test(
  'a machine joins a hub of two processes with a code, and its events notify there until it is revoked',
  { skip },
  async () => {
    await using team = await hubTeam();
    const { one, other, certificate } = team;
    const desk = await team.machine();
    await desk.start();

    const invited = await one.cli('hub', 'invite', 'Ada@Example.com', '--name', 'Ada', '--json');
    const { code, command, email } = JSON.parse(invited.stdout);
    assert.equal(command, `hookbell join ${one.url} --code ${code}`);
    assert.equal(email, 'ada@example.com');
    assert.match(code, /^[0-9A-Z]{4}(-[0-9A-Z]{4}){3}$/);

    // It enrols at one process, and talks to the other from then on.
    const typed = code.toLowerCase().replaceAll('-', ' ');
    const words = ['--code', typed, '--name', 'desk', '--certificate', certificate];
    const joined = await desk.cli('join', one.url, ...words);
    assert.equal(joined.code, 0, joined.stderr);
    assert.match(joined.stderr, /This machine is "desk" of ada@example.com now/);
    assert.match(joined.stderr, /The link works/);
    const token = join(dirname(desk.paths.config), 'relay-token');
    assert.equal((await stat(token)).mode & 0o777, 0o600);
    assert.match(await readFile(desk.paths.config, 'utf8'), new RegExp(`to: "?${one.url}`));

    await desk.hook(question('s1'));
    await until(async () => (await team.lines()).length === 1);
    const [line] = await team.lines();
    assert.match(line?.body ?? '', /Computer: desk/);
    // Either process knows of it.
    assert.equal((await other.ask('GET /v1/events', { part: 'last' })).machine, 'desk');
    const [machine] = await other.ask('GET /v1/hub-machines');
    assert.deepEqual([machine?.name, machine?.person], ['desk', 'ada@example.com']);
    assert.notEqual(machine?.heardAt, null);

    // A machine that relays keeps to its hub unless told otherwise; a used code is refused.
    const elsewhere = await desk.cli('join', other.url, ...words);
    assert.equal(elsewhere.code, 1);
    assert.match(elsewhere.stderr, /already relays to .*\n.*--replace/);
    const again = await desk.cli('join', other.url, ...words, '--replace');
    assert.equal(again.code, 1);
    assert.match(again.stderr, /does not accept the code: it is wrong, used or expired/);

    assert.equal((await other.cli('hub', 'revoke', 'desk')).code, 0);
    await desk.hook(question('s2'));
    await until(async () => (await desk.ask('GET /v1/status')).relay?.state === 'refused');
    assert.equal((await team.lines()).length, 1);

    // The same person may enrol it again; what waited then arrives.
    const next = await team.invite('ada@example.com');
    const rejoin = ['--code', next, '--name', 'desk', '--certificate', certificate, '--replace'];
    const back = await desk.cli('join', other.url, ...rejoin);
    assert.equal(back.code, 0, back.stderr);
    await until(async () => (await team.lines()).length === 2);

    const people = JSON.parse((await one.cli('hub', 'people', '--json')).stdout);
    assert.deepEqual(
      [people[0].email, people[0].name, people[0].machines],
      ['ada@example.com', 'Ada', ['desk']],
    );
    const audit = JSON.parse((await one.cli('hub', 'audit', '--json')).stdout);
    assert.deepEqual(audit.map(({ action }: { readonly action: string }) => action).toReversed(), [
      'invite',
      'enrol',
      'revoke',
      'invite',
      'enrol',
    ]);
    assert.match((await one.cli('hub', 'audit', '--verify')).stderr, /All 5 entries are intact/);
    const status = JSON.parse((await one.cli('hub', 'status', '--json')).stdout);
    assert.deepEqual([status.processes, status.machines], [2, 1]);
    const metrics = await one.cli('daemon', 'metrics');
    assert.match(metrics.stdout, /hookbell_hub_enrolments_total\{outcome="enrolled"\} 1/);
    assert.match(metrics.stdout, /hookbell_hub_machines 1/);
  },
);

test('"/readyz" is 503 while the database is away, and "/livez" is not', { skip }, async () => {
  await using team = await hubTeam();
  const ask = async (path: string): Promise<number> =>
    (await askHub(team.one, { method: 'GET', path })).status;
  assert.deepEqual([await ask('/livez'), await ask('/readyz')], [200, 200]);

  await team.postgres.kill();

  await until(async () => (await ask('/readyz')) === 503);
  assert.equal(await ask('/livez'), 200);
  await team.postgres.start();
  await until(async () => (await ask('/readyz')) === 200, 30_000);
});

test('a hub without PostgreSQL or a port is refused, with what to add', async () => {
  await using place = await hookbellHome();
  await place.writeConfig('hub: { url: "https://hub.example.com" }\n');

  const { code, stdout, stderr } = await place.cli('config', 'check');

  assert.equal(code, 3);
  assert.match(stdout + stderr, /hub.*needs PostgreSQL/);
  assert.match(stdout + stderr, /hub.*needs a port/);
  const elsewhere = await place.cli('hub', 'people');
  assert.notEqual(elsewhere.code, 0);
  await place.writeConfig('');
  // Before it would prompt, which takes a terminal.
  const reset = await place.cli('hub', 'reset-secret');
  assert.deepEqual(
    [reset.code, /is not the configuration of a hub\n {2}Run the command/.test(reset.stderr)],
    [3, true],
    reset.stderr,
  );
});

test(
  'a hub that stops is not ready before it closes, and serves what comes until then',
  { skip },
  async () => {
    await using team = await hubTeam({ drain: '4s' });
    const { one } = team;
    const ada = await team.enrol('ada@example.com', 'desk');
    const hello = () =>
      askHub(one, signed(ada, { method: 'GET', path: '/v1/relay/hello' })).then(
        ({ status }) => status,
        () => 'closed',
      );
    const { pid } = await one.ask('GET /v1/status');

    process.kill(pid, 'SIGTERM');

    await until(async () => (await askHub(one, { method: 'GET', path: '/readyz' })).status === 503);
    assert.equal(await hello(), 200);
    await until(async () => (await hello()) === 'closed');
    const other = await askHub(team.other, signed(ada, { method: 'GET', path: '/v1/relay/hello' }));
    assert.equal(other.status, 200);
  },
);

test('people are imported from a CSV and from the directory of the service', { skip }, async () => {
  await using mock = await startMock({ now: Date.now });
  const more = `api: { base_url: ${mock.baseUrl}, app_url: ${mock.appUrl}, key: ${mock.keys.owner} }`;
  await using team = await hubTeam({ more });
  const file = join(team.one.home, 'people.csv');
  const rows = ['team,email,name', '"a, b",Eve@example.com,"Eve ""E"""', ',dan@example.com,', ''];
  await writeFile(file, rows.join('\r\n'));

  const imported = await team.one.cli('hub', 'import', file, '--json');
  const nobody = { readmitted: [], stayRemoved: 0 };
  assert.deepEqual(
    JSON.parse(imported.stdout),
    { added: 2, changed: 0, ...nobody },
    imported.stderr,
  );
  const again = await team.one.cli('hub', 'import', file, '--json');
  assert.deepEqual(JSON.parse(again.stdout), { added: 0, changed: 0, ...nobody });
  const directory = await team.one.cli('hub', 'import', '--directory', '--json');
  assert.ok(JSON.parse(directory.stdout).added > 0, directory.stderr);

  const people = await team.other.ask('GET /v1/hub-people');
  const eve = people.find(({ email }) => email === 'eve@example.com');
  assert.deepEqual([eve?.name, eve?.team, eve?.source], ['Eve "E"', 'a, b', 'csv']);
  const ada = people.find(({ email }) => email === 'ada@example.com');
  assert.equal(ada?.source, 'directory');
  // Someone who was removed is not brought back.
  await team.one.ask('POST /v1/hub-revoke', { body: { what: 'eve@example.com' } });
  const kept = await team.one.cli('hub', 'import', file);
  assert.match(kept.stderr, /1 person removed by hand stayed removed/);
  const after = await team.one.ask('GET /v1/hub-people');
  assert.notEqual(after.find(({ email }) => email === 'eve@example.com')?.removedAt, null);
  await writeFile(file, 'email\nnobody\n');
  const wrong = await team.one.cli('hub', 'import', file);
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /Row 2 has no email address/);
});

test(
  'an import with --prune removes people who are gone, but not with a file that was cut off',
  { skip },
  async () => {
    await using team = await hubTeam();
    const file = join(team.one.home, 'people.csv');
    const write = (...names: readonly string[]) =>
      writeFile(file, ['email', ...names.map((name) => `${name}@example.com`), ''].join('\n'));
    const prune = (...more: readonly string[]) =>
      team.one.cli('hub', 'import', file, '--prune', ...more);
    async function removedAt(name: string): Promise<string | null | undefined> {
      const all = await team.other.ask('GET /v1/hub-people');
      return all.find(({ email }) => email === `${name}@example.com`)?.removedAt;
    }
    await write('eve', 'dan');
    await team.one.cli('hub', 'import', file);
    const dans = await team.enrol('dan@example.com', 'dans');
    // No one has imported this one.
    await team.enrol('ada@example.com', 'desk');

    await write('eve');
    const unsure = await prune();
    assert.equal(unsure.code, 2, unsure.stderr);
    assert.match(unsure.stderr, /1 person is gone:\n {2}dan@example\.com \(dans\)/);
    assert.equal((await prune('--dry-run')).code, 0);
    assert.equal(await removedAt('dan'), null);
    const gone = await prune('--yes');
    assert.match(gone.stderr, /Removed 1 person; revoked 1 machine/);
    assert.notEqual(await removedAt('dan'), null);
    assert.equal(await removedAt('ada'), null);
    const hello = signed(dans, { method: 'GET', path: '/v1/relay/hello' });
    assert.equal((await askHub(team.other, hello)).status, 401);

    await write('eve', 'dan');
    const back = await prune();
    assert.match(back.stderr, /Readmitted dan@example\.com: their machines stay revoked/);
    assert.equal(await removedAt('dan'), null);
    const machines = await team.other.ask('GET /v1/hub-machines');
    assert.notEqual(machines.find(({ name }) => name === 'dans')?.revokedAt, null);

    await write(...Array.from({ length: 30 }, (_, at) => `p${at}`));
    await team.one.cli('hub', 'import', file);
    await write();
    assert.match((await prune('--yes')).stderr, /names no people/);
    await write('p0');
    const cut = await prune('--yes');
    assert.equal(cut.code, 1);
    assert.match(cut.stderr, /31 of 32 people are not in the csv, expected at most 5/);
    assert.equal(await removedAt('p7'), null);
    assert.match((await prune('--yes', '--most', '31')).stderr, /Removed 31 people/);
    const audit = await team.one.cli('hub', 'audit', '--verify');
    assert.equal(audit.code, 0, audit.stderr);
  },
);
