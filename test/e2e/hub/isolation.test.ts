import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent } from 'node:https';
import { describe, test } from 'node:test';
import { connect } from 'node:tls';

import { sha256 } from '../../../src/platform/crypto.ts';
import { until } from '../../support/hookbell-home.ts';
import { askHub, type HubTeam, hubTeam, type Signer, signed } from '../../support/hub-team.ts';
import { needsPostgres } from '../../support/postgres.ts';
import { rounds } from '../../support/seeded-random.ts';
import { needs } from '../../support/system-part.ts';

const skip = needsPostgres() || needs('openssl');
const HELLO = { method: 'GET', path: '/v1/relay/hello' };
const TEN_MINUTES_MS = 600_000;
/** Of 20 guesses each. */
const GUESSING_ROUNDS = rounds(10);

function eventsOf(payloads: readonly { readonly id: string; readonly payload: object }[]) {
  const events = payloads.map(({ id, payload }) => ({
    id,
    at: Date.now(),
    facts: { agent: 'claude' },
    payload: Buffer.from(JSON.stringify(payload)).toString('base64'),
  }));
  const body = JSON.stringify({ version: 1, events });
  return { method: 'POST', path: '/v1/relay/events', body };
}

function asking(session: string, fields: object = {}): object {
  return { session_id: session, hook_event_name: 'PermissionRequest', cwd: '/srv/shop', ...fields };
}

async function handIn(team: HubTeam, signer: Signer, id: string, payload: object): Promise<string> {
  return (await askHub(team.one, signed(signer, eventsOf([{ id, payload }])))).body;
}

function enrolment(code: string, machine: string, key = '1'.repeat(64)) {
  const body = JSON.stringify({ version: 1, code, machine, key });
  return { method: 'POST', path: '/v1/hub/enrol', body };
}

describe('a hub of two processes', { skip }, () => {
  test('accepts a captured request once, also at the other process and after a restart', async () => {
    await using team = await hubTeam();
    const ada = await team.enrol('ada@example.com', 'desk');
    const captured = signed(ada, HELLO);

    assert.equal((await askHub(team.one, captured)).status, 200);
    assert.deepEqual(await askHub(team.other, captured), {
      status: 409,
      body: '{"error":"replay"}',
    });
    await team.one.killDaemon();
    await team.one.start();
    assert.deepEqual(await askHub(team.one, captured), { status: 409, body: '{"error":"replay"}' });
  });

  test('accepts nothing that a machine has not signed itself', async () => {
    await using team = await hubTeam();
    const ada = await team.enrol('ada@example.com', 'desk');
    const ben = await team.enrol('ben@example.com', 'bench');
    const stranger = { machine: 'nobody', key: '0'.repeat(64) };
    const refused = { status: 401, body: '{"error":"token"}' };

    const attempts = {
      'another key': signed({ machine: 'desk', key: ben.key }, HELLO),
      'an unknown machine': signed(stranger, HELLO),
      'the name of another machine': signed(ben, HELLO, { 'hookbell-machine': 'desk' }),
      'another time': signed(ada, HELLO, { 'hookbell-time': String(Date.now() + 1_000) }),
      'another nonce': signed(ada, HELLO, { 'hookbell-nonce': 'a'.repeat(32) }),
      'no signature': signed(ada, HELLO, { 'hookbell-signature': '' }),
      'another path': { ...signed(ada, HELLO), path: '/v1/relay/hello?x' },
      'another method': { ...signed(ada, HELLO), method: 'PUT' },
      'SQL as the name': signed(ada, HELLO, { 'hookbell-machine': "desk' OR 1=1--" }),
      'SQL as the nonce': signed(ada, HELLO, { 'hookbell-nonce': "'); DROP TABLE nonces;--" }),
    };
    for (const [name, attempt] of Object.entries(attempts)) {
      for (const hub of [team.one, team.other]) {
        assert.deepEqual(await askHub(hub, attempt), refused, name);
      }
    }
    // A changed body of a signed request.
    const honest = signed(ada, eventsOf([{ id: 'a'.repeat(16), payload: asking('s1') }]));
    const forged = eventsOf([{ id: 'b'.repeat(16), payload: asking('s2') }]).body;
    assert.equal(
      (
        await askHub(team.one, {
          ...honest,
          body: forged,
          headers: { ...honest.headers, 'content-length': String(forged.length) },
        })
      ).status,
      400,
    );
    assert.deepEqual(await team.postgres.run('SELECT 1 FROM events'), []);
  });

  test('keeps sessions and events of one machine from another', async () => {
    await using team = await hubTeam();
    const ada = await team.enrol('ada@example.com', 'desk');
    const ben = await team.enrol('ben@example.com', 'bench');
    const id = '01890000-0000-7000-8000-000000000001';
    assert.match(await handIn(team, ada, id, asking('s1', { tool_name: 'Bash' })), /committed/);

    // The id of Ada's event, Ada's session by its id and by its key, an answer, and the end of Ada's session.
    await handIn(team, ben, id, asking('s1', { tool_name: 'Stolen' }));
    for (const [index, session] of ['s1', 'desk/claude:s1', 'desk/claude/s1'].entries()) {
      for (const [step, event] of ['UserPromptSubmit', 'Stop', 'SessionEnd'].entries()) {
        const fields = { hook_event_name: event, machine: 'desk', sessionKey: 'desk/claude:s1' };
        const other = `01890000-0000-7000-8000-0000000001${index}${step}`;
        await handIn(team, ben, other, asking(session, fields));
      }
    }

    const machines = await team.postgres.run(`SELECT machine FROM events WHERE id = '${id}'`);
    assert.deepEqual(machines, [{ machine: 'desk' }]);
    const [alert] = await team.postgres.run(
      "SELECT state FROM alerts WHERE session_key LIKE 'desk/%'",
    );
    assert.equal(alert?.['state'], 'open');
    const [session] = await team.postgres.run("SELECT state FROM sessions WHERE machine = 'desk'");
    assert.equal(session?.['state'], 'waiting');
  });

  test('refuses a revoked machine and those of a removed person at the next request everywhere', async () => {
    await using team = await hubTeam();
    const ada = await team.enrol('ada@example.com', 'desk');
    const lap = await team.enrol('ada@example.com', 'lap');
    const ask = async (signer: Signer) =>
      Promise.all(
        [team.one, team.other].map(
          async (hub) => (await askHub(hub, signed(signer, HELLO))).status,
        ),
      );
    assert.deepEqual(await ask(ada), [200, 200]);

    await team.one.ask('POST /v1/hub-revoke', { body: { what: 'desk' } });
    assert.deepEqual(await ask(ada), [401, 401]);
    assert.deepEqual(await ask(lap), [200, 200]);
    await team.other.ask('POST /v1/hub-revoke', { body: { what: 'ADA@example.com' } });
    assert.deepEqual(await ask(lap), [401, 401]);
    // The name is still Ada's.
    const code = await team.invite('ben@example.com');
    const taken = await askHub(team.one, enrolment(code, 'desk'));
    assert.deepEqual(taken, { status: 409, body: '{"error":"name"}' });
  });

  for (const aheadMs of [-TEN_MINUTES_MS, TEN_MINUTES_MS]) {
    test(`judges requests by the clock of the database where one host is ${aheadMs / 60_000} minutes off`, async () => {
      await using team = await hubTeam({ aheadMs });
      const ada = await team.enrol('ada@example.com', 'desk');

      assert.equal((await askHub(team.one, signed(ada, HELLO))).status, 200);
      const captured = signed(ada, HELLO);
      assert.equal((await askHub(team.other, captured)).status, 200);
      assert.equal((await askHub(team.one, captured)).status, 409);
    });
  }

  test('stores SQL in any text as that text', async () => {
    await using team = await hubTeam();
    const sql = `'); DROP TABLE people; --"$1 ?1 \\' \u0000 {}`;
    const invite = { email: 'eve@example.com', name: sql, team: sql };
    await team.one.ask('POST /v1/hub-invite', { body: invite });
    for (const bad of [`${sql}@example.com`, "a'b@example.com'--", 'eve@example.com; DROP']) {
      await assert.rejects(team.one.ask('POST /v1/hub-invite', { body: { email: bad } }), bad);
      await assert.rejects(team.one.ask('POST /v1/hub-forget', { body: { email: bad } }), bad);
    }
    await assert.rejects(
      team.one.ask('POST /v1/hub-revoke', { body: { what: sql } }),
      /No machine/,
    );
    assert.equal((await askHub(team.one, enrolment(sql, 'desk'))).status, 403);
    assert.equal((await askHub(team.one, enrolment('x', sql))).status, 400);
    const ada = await team.enrol('ada@example.com', 'desk');

    const fields = { cwd: sql, tool_name: sql, message: sql, prompt: sql, title: sql };
    const said = await handIn(
      team,
      ada,
      '01890000-0000-7000-8000-000000000002',
      asking(sql, fields),
    );

    assert.match(said, /committed/);
    const [eve] = await team.postgres.run(
      "SELECT team FROM people WHERE email = 'eve@example.com'",
    );
    assert.match(String(eve?.['team']), /^'\); DROP TABLE people; --"\$1 \?1/);
    const [event] = await team.postgres.run('SELECT cwd, session_id FROM events');
    assert.ok(JSON.stringify(event).includes('DROP TABLE people'));
    assert.equal((await team.other.ask('GET /v1/hub-people')).length, 2);
  });

  test('reads no body that is too large, and closes connections without a whole request', async () => {
    await using team = await hubTeam();
    const ada = await team.enrol('ada@example.com', 'desk');
    const large = signed(ada, eventsOf([]), { 'content-length': String(24 * 1024 * 1024 + 1) });
    assert.equal((await askHub(team.one, { ...large, body: '' })).status, 413);
    // Without a length.
    const endless = signed(ada, eventsOf([]), { 'transfer-encoding': 'chunked' });
    const sent = askHub(team.one, { ...endless, body: 'x'.repeat(25 * 1024 * 1024) });
    const outcome = await sent.then(
      ({ status }) => status,
      () => 'closed',
    );
    assert.ok(outcome === 413 || outcome === 'closed', String(outcome));
    const enrol = enrolment('x'.repeat(5_000), 'desk');
    assert.equal((await askHub(team.one, enrol)).status, 413);

    const slow = connect({ host: '127.0.0.1', port: team.one.port, rejectUnauthorized: false });
    slow.on('error', () => {});
    await once(slow, 'secureConnect');
    slow.write('GET /v1/relay/hello HTTP/1.1\r\nhost: hub\r\n');
    slow.resume();
    await once(slow, 'close');
    assert.equal((await askHub(team.one, signed(ada, HELLO))).status, 200);
  });

  test('lets one of two processes redeem a code, and answers all useless codes alike', async () => {
    await using team = await hubTeam();
    const code = await team.invite('ada@example.com');

    const both = await Promise.all(
      [team.one, team.other, team.one, team.other].map((hub, index) =>
        askHub(hub, enrolment(code, `desk-${index}`)),
      ),
    );

    const statuses = both.map(({ status }) => status).toSorted((a, b) => a - b);
    assert.deepEqual(statuses, [200, 403, 403, 403]);
    const late = await team.invite('ben@example.com');
    await team.postgres.run(
      "UPDATE invitations SET expires_at = 1 WHERE person = 'ben@example.com'",
    );
    const useless = [code, late, 'AAAA-BBBB-CCCC-DDDD', ''];
    for (const one of useless) {
      const answer = await askHub(team.one, enrolment(one, 'desk'));
      assert.deepEqual(answer, { status: 403, body: '{"error":"code"}' }, one);
    }
  });

  test('limits guesses of codes across its processes, and records that once', async () => {
    await using team = await hubTeam();
    await team.invite('ada@example.com');
    const counts: Record<number, number> = {};
    const agent = new Agent({ keepAlive: true, maxSockets: 20 });
    const startedAt = performance.now();

    for (let round = 0; round < GUESSING_ROUNDS; round += 1) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) => {
          const guess = enrolment(`GUESS-${round}-${index}`, 'desk');
          return askHub(index % 2 === 0 ? team.one : team.other, { ...guess, agent });
        }),
      );
      for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
    }
    agent.destroy();

    // A burst of ten, and one more each ten seconds.
    const most = 11 + (performance.now() - startedAt) / 10_000;
    const { 403: tried = 0, 429: limited = 0 } = counts;
    assert.ok(tried >= 10 && tried <= most, JSON.stringify(counts));
    assert.equal(tried + limited, GUESSING_ROUNDS * 20);
    assert.equal((await team.postgres.run('SELECT 1 FROM machines')).length, 0);
    const refused = await team.postgres.run("SELECT detail FROM audit WHERE action = 'refuse'");
    assert.equal(refused.length, 1);
  });

  test('forgets a person but for the fact, and its audit tells when an entry was changed', async () => {
    await using team = await hubTeam();
    const ada = await team.enrol('ada@example.com', 'desk');
    const ben = await team.enrol('ben@example.com', 'bench');
    await handIn(
      team,
      ada,
      '01890000-0000-7000-8000-000000000003',
      asking('s1', { message: 'ada-secret' }),
    );
    await handIn(team, ben, '01890000-0000-7000-8000-000000000004', asking('s1'));
    await until(async () => (await team.lines()).length === 2);

    const unsure = await team.one.cli('hub', 'forget', 'ada@example.com');
    assert.equal(unsure.code, 2);
    assert.match(unsure.stderr, /1 machine of ada@example\.com, with 1 session and 1 event,/);
    assert.equal((await askHub(team.other, signed(ada, HELLO))).status, 200);
    const forgotten = await team.one.cli('hub', 'forget', 'ada@example.com', '--yes');

    assert.equal(forgotten.code, 0, forgotten.stderr);
    const tables = await team.postgres.run(
      'SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()',
    );
    for (const { table_name: name } of tables) {
      const rows = await team.postgres.run(`SELECT * FROM "${String(name)}"`);
      assert.doesNotMatch(JSON.stringify(rows), /ada@example|ada-secret/, String(name));
    }
    assert.equal((await askHub(team.other, signed(ada, HELLO))).status, 401);
    assert.equal((await team.postgres.run('SELECT 1 FROM events')).length, 1);
    assert.equal((await team.one.cli('hub', 'audit', '--verify')).code, 0);
    await team.postgres.run(
      "ALTER TABLE audit DISABLE TRIGGER ALL; UPDATE audit SET detail = '{}' WHERE seq = 2",
    );
    const broken = await team.other.cli('hub', 'audit', '--verify');
    assert.equal(broken.code, 1);
    assert.match(broken.stderr, /broken at entry 2/);
  });

  test('tells by a hash noted earlier when its last entries were removed, or all were rewritten', async () => {
    await using team = await hubTeam();
    for (const name of ['ada', 'ben', 'eve']) await team.invite(`${name}@example.com`);
    const noted = (await team.one.cli('hub', 'audit', '--verify')).stdout.trim();
    await team.invite('dan@example.com');
    const expect = (hash: string) => team.other.cli('hub', 'audit', '--expect', hash);

    const later = await expect(noted);
    assert.deepEqual([later.code, /Entry 3 has the hash/.test(later.stderr)], [0, true]);
    const head = later.stdout.trim();
    assert.match(head, /^[0-9a-f]{64}$/);
    assert.notEqual(head, noted);
    assert.equal((await expect(` ${noted.toUpperCase()}`)).code, 0);
    const typo = await expect(noted.slice(1));
    assert.deepEqual([typo.code, /64 hexadecimal digits/.test(typo.stderr)], [2, true]);

    // Without the last entry the chain is whole, but not the one that was noted.
    await team.postgres.run(
      'ALTER TABLE audit DISABLE TRIGGER ALL; DELETE FROM audit WHERE seq = 4',
    );
    assert.equal((await team.one.cli('hub', 'audit', '--verify')).code, 0);
    assert.equal((await expect(noted)).code, 0);
    const cut = await expect(head);
    assert.deepEqual([cut.code, cut.stdout], [1, '']);
    assert.match(cut.stderr, new RegExp(`No entry of the audit has the hash ${head}`));

    await team.postgres.run(`UPDATE audit SET detail = '{"written":"anew"}' WHERE seq = 1`);
    assert.match((await expect(noted)).stderr, /broken at entry 1/);
    let before = '0'.repeat(64);
    for (const row of await team.postgres.run('SELECT * FROM audit ORDER BY seq')) {
      const columns = [Number(row['seq']), Number(row['at'])];
      const texts = ['actor', 'action', 'target', 'detail'].map((name) => row[name]);
      before = sha256(`${before}\n${JSON.stringify([...columns, ...texts])}`);
      await team.postgres.run(`UPDATE audit SET hash = '${before}' WHERE seq = ${columns[0]}`);
    }
    assert.equal((await team.one.cli('hub', 'audit', '--verify')).code, 0);
    const anew = await expect(noted);
    assert.deepEqual([anew.code, anew.stdout], [1, '']);
    assert.match(anew.stderr, /rewritten/);
  });
});
