import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { sha256 } from '../../../src/platform/crypto.ts';
import { needsPostgres } from '../../support/postgres.ts';
import { type HubScene, hubScene, sampleInvitation } from '../../support/hub-store.ts';

const skip = needsPostgres();
const KEY = '1'.repeat(64);
const MINUTE_MS = 60_000;

const someone = (index: number, team: string | null = null) => ({
  email: `import-${index}@example.com`,
  name: null,
  team,
});

describe('the store of a hub', { skip }, () => {
  let scene: HubScene;
  before(async () => {
    scene = await hubScene();
  });
  after(() => scene[Symbol.asyncDispose]());

  let count = 0;
  const nonce = (): string => (count += 1).toString(16).padStart(32, '0');
  const [one, other] = [() => scene.hubs[0] ?? assert.fail(), () => scene.hubs[1] ?? assert.fail()];

  test('admit() accepts a nonce once, whichever process gets it, even at the same moment', async () => {
    await scene.enrol('ada@example.com', 'once', KEY);
    const claim = { machine: 'once', key: KEY, time: Date.now(), nonce: nonce() };

    const verdicts = await Promise.all(
      Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? one() : other()).admit(claim)),
    );

    assert.deepEqual(
      verdicts.filter(({ type }) => type === 'admitted'),
      [{ type: 'admitted', person: 'ada@example.com' }],
    );
    assert.equal(verdicts.filter(({ type }) => type === 'replay').length, 9);
  });

  test('admit() judges the time of a request by the clock of the database', async () => {
    await scene.enrol('ada@example.com', 'clock', KEY);
    const at = (minutes: number) =>
      one().admit({
        machine: 'clock',
        key: KEY,
        time: Date.now() + minutes * MINUTE_MS,
        nonce: nonce(),
      });

    assert.equal((await at(-4)).type, 'admitted');
    assert.equal((await at(4)).type, 'admitted');
    assert.equal((await at(-6)).type, 'clock');
    const ahead = await at(6);
    assert.equal(ahead.type, 'clock');
    assert.ok(Math.abs(ahead.now - Date.now()) < MINUTE_MS);
  });

  const ends: readonly (readonly [string, string])[] = [
    ['a revoked machine', "UPDATE machines SET revoked_at = 1 WHERE name = 'ends'"],
    ['another key', `UPDATE machines SET key = '${'2'.repeat(64)}' WHERE name = 'ends'`],
    ['a removed person', "UPDATE people SET removed_at = 1 WHERE email = 'eve@example.com'"],
  ];
  for (const [what, sql] of ends) {
    test(`admit() refuses ${what} at the next request`, async () => {
      await scene.enrol('eve@example.com', 'ends', KEY);
      const ask = () =>
        other().admit({ machine: 'ends', key: KEY, time: Date.now(), nonce: nonce() });
      assert.equal((await ask()).type, 'admitted');

      await scene.postgres.run(sql);

      assert.deepEqual(await ask(), { type: 'unknown' });
    });
  }

  test('forgetNonces() keeps those that could be used again', async () => {
    await scene.enrol('ada@example.com', 'nonces', KEY);
    const claim = { machine: 'nonces', key: KEY, time: Date.now(), nonce: nonce() };
    await one().admit(claim);
    await scene.postgres.run("INSERT INTO nonces VALUES ('nonces', 'old', 1)");

    await one().forgetNonces();

    assert.equal((await other().admit(claim)).type, 'replay');
    const left = await scene.postgres.run("SELECT 1 FROM nonces WHERE nonce = 'old'");
    assert.deepEqual(left, []);
  });

  test('enrol() accepts a code once, also if two processes get it at the same moment', async () => {
    const codeHash = sha256('both');
    await one().invite(sampleInvitation({ codeHash }));

    const results = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        (index % 2 === 0 ? one() : other()).enrol({ codeHash, machine: `both-${index}`, key: KEY }),
      ),
    );

    assert.equal(results.filter(({ type }) => type === 'enrolled').length, 1);
    assert.equal(results.filter(({ type }) => type === 'refused').length, 9);
  });

  test('enrol() refuses an expired code, and the name of another person', async () => {
    await scene.enrol('ada@example.com', 'desk', KEY);
    await one().invite(sampleInvitation({ codeHash: sha256('late'), expireAfterMs: -1 }));
    await one().invite(
      sampleInvitation({ email: 'ben@example.com', codeHash: sha256('ben'), name: 'Ben' }),
    );

    const late = await one().enrol({ codeHash: sha256('late'), machine: 'late', key: KEY });
    const taken = await one().enrol({ codeHash: sha256('ben'), machine: 'desk', key: KEY });
    // The code was not used up.
    const own = await one().enrol({ codeHash: sha256('ben'), machine: 'bench', key: KEY });

    assert.deepEqual([late, taken], [{ type: 'refused' }, { type: 'taken' }]);
    assert.deepEqual(own, { type: 'enrolled', person: 'ben@example.com' });
  });

  test('roll() returns everyone, and null while nothing has changed', async () => {
    await scene.enrol('cyd@example.com', 'cyds', KEY);
    const first = await other().roll(null);
    assert.ok(first);
    await one().admit({ machine: 'cyds', key: KEY, time: Date.now(), nonce: nonce() });

    assert.equal(await other().roll(first.version), null);
    const changed = await one().changeSettings({
      email: 'cyd@example.com',
      settings: '{"a":1}',
      actor: { type: 'person', email: 'cyd@example.com' },
    });
    const second = await other().roll(first.version);

    assert.equal(changed, true);
    assert.ok(second);
    const cyd = second.people.find(({ email }) => email === 'cyd@example.com');
    assert.deepEqual(JSON.parse(cyd?.settings ?? ''), { a: 1 });
    assert.ok(second.machines.some(({ name, key }) => name === 'cyds' && key === KEY));
  });

  test('importPeople() adds and changes people in one step of the directory, also those who are named twice', async () => {
    const actor = { type: 'admin', name: 'root' } as const;
    const list = Array.from({ length: 3_000 }, (_, index) => someone(index));
    const first = await one().importPeople({ people: list, source: 'csv', actor });
    await one().removePerson({ email: 'import-7@example.com', actor });
    const former = await other().roll(null);

    const again = await one().importPeople({
      people: [
        ...list,
        someone(1, 'web'),
        { ...someone(1), name: 'One' },
        someone(7, 'web'),
        someone(9_999),
      ],
      source: 'csv',
      actor,
    });
    const latter = await other().roll(null);
    const people = await other().people();

    assert.deepEqual(
      [first, again],
      [
        { added: 3_000, changed: 0, readmitted: [], stayRemoved: 0 },
        { added: 1, changed: 2, readmitted: [], stayRemoved: 1 },
      ],
    );
    // A statement that may insert and update counts as both.
    assert.ok((latter?.version ?? 0) - (former?.version ?? 0) <= 2);
    const at = (index: number) => people.find(({ email }) => email === someone(index).email);
    assert.deepEqual([at(1)?.name, at(1)?.team, at(2)?.team], ['One', 'web', null]);
    assert.ok(at(7)?.removedAt !== null, 'an import admits no one again');
    assert.deepEqual(people.find(({ email }) => email === 'cyd@example.com')?.machines, ['cyds']);
  });

  test('the audit refuses to be changed, and names people by ids', async () => {
    await scene.enrol('dan@example.com', 'dans', KEY);

    for (const sql of ["UPDATE audit SET detail = ''", 'DELETE FROM audit', 'TRUNCATE audit']) {
      await assert.rejects(scene.postgres.run(sql), /append-only/, sql);
    }
    const rows = await scene.postgres.run('SELECT actor, target, detail FROM audit');
    assert.ok(rows.length > 1);
    assert.doesNotMatch(JSON.stringify(rows), /@example/);
  });
});
