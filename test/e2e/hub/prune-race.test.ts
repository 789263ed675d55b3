import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { projectRoot } from '../../support/hookbell-home.ts';
import { askHub, type HubTeam, hubTeam, signed } from '../../support/hub-team.ts';
import { needsPostgres } from '../../support/postgres.ts';
import { needs } from '../../support/system-part.ts';
import { typedCommand } from '../../support/typed-command.ts';

const skip = needsPostgres() || needs('openssl', 'script');
const HELLO = { method: 'GET', path: '/v1/relay/hello' };

const importOf = (...names: readonly string[]) => ({
  body: { people: names.map((name) => ({ email: `${name}@example.com` })), source: 'csv' },
});

/** Eve and Dan were imported, Dan has a machine and is no longer in the file; the command has shown him, and asks. */
async function asked(team: HubTeam) {
  await team.one.ask('POST /v1/hub-import', importOf('eve', 'dan'));
  const dan = await team.enrol('dan@example.com', 'dans');
  const file = join(team.one.home, 'people.csv');
  await writeFile(file, 'email\neve@example.com\n');
  const program = join(projectRoot, 'dist/program/cli.js');
  const command = typedCommand(
    `"${process.execPath}" "${program}" hub import "${file}" --prune`,
    team.one.env,
  );
  await command.shown('dan@example.com (dans)');
  await command.shown('Remove 1 person and revoke their machines?');
  await command.shown('No');
  return { dan, command };
}

async function here(team: HubTeam): Promise<readonly string[]> {
  const people = await team.other.ask('GET /v1/hub-people');
  return people.filter(({ removedAt }) => removedAt === null).map(({ email }) => email);
}

describe('an import with --prune that has shown who is gone', { skip }, () => {
  test('removes no one if someone else is gone by the time it is confirmed', async () => {
    await using team = await hubTeam();
    const { dan, command } = await asked(team);
    await using _command = command;

    // Another administrator imports a file with one person more, at the other process.
    await team.other.ask('POST /v1/hub-import', importOf('eve', 'dan', 'ben'));
    const bens = await team.enrol('ben@example.com', 'bens');
    command.type('y');
    const { code, screen } = await command.ended();

    assert.equal(code, 1, screen);
    assert.match(screen, /More people are gone than were shown \(1\)[^]*No one was removed/);
    assert.deepEqual(await here(team), ['ben@example.com', 'dan@example.com', 'eve@example.com']);
    for (const machine of [dan, bens]) {
      assert.equal((await askHub(team.one, signed(machine, HELLO))).status, 200);
    }
  });

  test('removes no one in the place of a person who was shown', async () => {
    await using team = await hubTeam();
    const { command } = await asked(team);
    await using _command = command;

    // As many are gone as were shown, but not the same.
    await team.other.ask('POST /v1/hub-revoke', { body: { what: 'dan@example.com' } });
    await team.other.ask('POST /v1/hub-import', importOf('ben'));
    const bens = await team.enrol('ben@example.com', 'bens');
    command.type('y');
    const { code, screen } = await command.ended();

    assert.equal(code, 1, screen);
    assert.match(screen, /More people are gone than were shown \(1\)/);
    assert.deepEqual(await here(team), ['ben@example.com', 'eve@example.com']);
    assert.equal((await askHub(team.one, signed(bens, HELLO))).status, 200);
  });

  test('removes those who were shown, without those who are back', async () => {
    await using team = await hubTeam();
    await team.one.ask('POST /v1/hub-import', importOf('kim'));
    const file = join(team.one.home, 'back.csv');
    await writeFile(file, 'email\neve@example.com\n');
    await team.one.ask('POST /v1/hub-import', importOf('eve', 'dan'));
    const shown = await team.one.ask('POST /v1/hub-missing', {
      body: { emails: ['eve@example.com'], source: 'csv' },
    });
    assert.deepEqual(
      shown.people.map(({ email }) => email),
      ['dan@example.com', 'kim@example.com'],
    );

    // Kim is removed by hand meanwhile.
    await team.other.ask('POST /v1/hub-revoke', { body: { what: 'kim@example.com' } });
    const { removed } = await team.one.ask('POST /v1/hub-prune', {
      body: {
        emails: ['eve@example.com'],
        source: 'csv',
        shown: shown.people.map(({ email }) => email),
      },
    });

    assert.deepEqual(removed, [{ email: 'dan@example.com', machines: [] }]);
  });

  test('imports more people than a megabyte holds', async () => {
    await using team = await hubTeam();
    const count = 20_000;
    const rows = Array.from(
      { length: count },
      (_, at) => `person.number.${at}@department.example.com,Person ${at} of ${count},payments`,
    );
    const file = join(team.one.home, 'all.csv');
    await writeFile(file, ['email,name,team', ...rows, ''].join('\n'));

    const imported = await team.one.cli('hub', 'import', file, '--prune', '--json');

    assert.equal(imported.code, 0, imported.stderr);
    assert.equal(JSON.parse(imported.stdout).added, count);
  });
});
