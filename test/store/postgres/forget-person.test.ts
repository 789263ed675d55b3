import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { openServerStore } from '../../../src/store/postgres/open-server-store.ts';
import { addressPattern } from '../../../src/store/postgres/hub/personal-texts.ts';
import { type HubScene, hubScene } from '../../support/hub-store.ts';
import { needsPostgres } from '../../support/postgres.ts';
import { until } from '../../support/hookbell-home.ts';
import { decideNothing, sampleRecord } from '../../support/store.ts';

const KEY = '1'.repeat(64);
const ACTOR = { type: 'admin', name: 'root@hub-1' } as const;
const ADA = 'ada@example.com';
const EVENTS = 4_000;
const child = fileURLToPath(new URL('../../support/forget-child.js', import.meta.url));

describe('forgetPerson()', { skip: needsPostgres() }, () => {
  let scene: HubScene;
  before(async () => {
    scene = await hubScene();
    await scene.enrol(ADA, 'desk', KEY);
    await scene.enrol('ben@example.com', 'bench', KEY);
    await scene.postgres.run("UPDATE people SET name = 'Ada L.' WHERE email = 'ada@example.com'");
    await fill(scene);
  });
  after(() => scene[Symbol.asyncDispose]());

  const hub = () => scene.hubs[0] ?? assert.fail();
  const countOf = async (from: string): Promise<number> =>
    Number((await scene.postgres.run(`SELECT count(*) AS count FROM ${from}`))[0]?.['count']);

  test('toForget() counts what would be erased and changes nothing', async () => {
    assert.deepEqual(await hub().toForget(ADA), {
      machines: 1,
      sessions: 50,
      events: EVENTS,
      deliveries: 1,
    });
    assert.equal(await hub().toForget('eve@example.com'), null);
    assert.equal(await countOf("events WHERE machine = 'desk'"), EVENTS);
  });

  test('another call of forgetPerson() erases what a killed one has left, in every column of every table', async () => {
    const process = spawn('node', [child, scene.postgres.url, ADA], { stdio: 'inherit' });
    const ended = once(process, 'exit');
    await until(async () => (await countOf("events WHERE machine = 'desk'")) < EVENTS);
    process.kill('SIGKILL');
    await ended;
    const left = await countOf("events WHERE machine = 'desk'");
    assert.ok(left > 0 && left < EVENTS, `${left} events were left`);
    assert.equal(await countOf(`people WHERE email = '${ADA}'`), 1);

    const forgotten = await hub().forgetPerson({ email: ADA, actor: ACTOR });

    const { texts = 0, ...counts } = forgotten ?? {};
    assert.deepEqual(
      counts,
      { machines: 1, sessions: 50, events: EVENTS, deliveries: 1 },
      'what both have removed',
    );
    assert.ok(texts > 0);
    assert.deepEqual(await mentions(scene), []);
    assert.equal(await countOf("events WHERE machine = 'desk'"), 0);
  });

  test('forgetPerson() keeps what belongs to others, and addresses that only contain this one', async () => {
    assert.equal(await countOf("events WHERE machine = 'bench'"), 1);
    assert.equal(await countOf("sessions WHERE machine = 'bench'"), 1);
    const [event] = await scene.postgres.run(
      "SELECT message, title, decisions, convert_from(bytes, 'UTF8') AS payload FROM events JOIN payloads ON event_seq = seq WHERE id = 'of-ben'",
    );
    assert.deepEqual(event, {
      message:
        'Mail a forgotten person, not wada@example.com or ada@example.com.au. a forgotten person',
      title: 'written with Ada L. a forgotten person',
      decisions: '[{"reason":"muted by a forgotten person"}] a forgotten person',
      payload: '{"prompt":"ask\\na forgotten person\\u000aa forgotten person é\\\\"}',
    });
    const [delivery] = await scene.postgres.run(
      "SELECT recipient, is_next FROM deliveries WHERE event_id = 'of-ben'",
    );
    assert.deepEqual(delivery, { recipient: 'ben@example.com', is_next: '1' });
  });

  test('forgetPerson() leaves an entry in the audit without the address, and a second call finds no one', async () => {
    const [entry] = await scene.postgres.run(
      "SELECT target, detail FROM audit WHERE action = 'forget'",
    );
    assert.match(String(entry?.['target']), /^person [0-9a-f]{32}$/);
    assert.match(String(entry?.['detail']), /"machines":1,.*"events":4000,/);
    assert.equal(await countOf('erasures'), 0);
    assert.equal((await hub().verifyAudit(null)).broken, null);
    assert.equal(await hub().forgetPerson({ email: ADA, actor: ACTOR }), null);
    assert.equal(await countOf("audit WHERE action = 'forget'"), 1);
  });
});

test(
  'an event of a request that was admitted before is not stored after the erasure',
  { skip: needsPostgres() },
  async () => {
    await using scene = await hubScene();
    await scene.enrol(ADA, 'desk', KEY);
    await scene.enrol('ben@example.com', 'bench', KEY);
    const { store, hub } = await openServerStore({ url: scene.postgres.url, hubSecret: null });
    const records = ['desk', 'bench', null].map((machine) => {
      const id = `of ${machine}`;
      return sampleRecord({ id, sessionKey: id, machine, duplicate: { key: id, windowMs: 1 } });
    });

    await hub.forgetPerson({ email: ADA, actor: ACTOR });
    const verdicts = await store.events.accept(records, decideNothing);
    const stored = await scene.postgres.run('SELECT machine FROM events ORDER BY machine');
    await store.close();

    assert.deepEqual(verdicts, ['revoked', 'committed', 'committed']);
    assert.deepEqual(
      stored.map(({ machine }) => machine),
      ['bench', null],
    );
  },
);

test(
  'two processes that erase the same person at the same time tell the same',
  { skip: needsPostgres() },
  async () => {
    await using scene = await hubScene();
    await scene.enrol(ADA, 'desk', KEY);
    await scene.enrol('ben@example.com', 'bench', KEY);
    await fill(scene);

    const [one, other] = await Promise.all(
      scene.hubs.map((hub) => hub.forgetPerson({ email: ADA, actor: ACTOR })),
    );

    assert.equal(one?.events, EVENTS);
    assert.deepEqual(other, one);
  },
);

/** Events of both people; whatever of the second one can name the first one does. */
async function fill({ postgres }: HubScene): Promise<void> {
  const columns =
    'id, at, received_at, agent, event, kind, session_key, failed, subagent, background_work, duplicate_key, facts, decisions, suppressed, machine, message, title';
  await postgres.run(`
    INSERT INTO events (${columns})
      SELECT 'ada-' || number, 1, 1, 'claude', 'Stop', 'turn.done', 'desk:' || number % 50, 0, 0, 0, 'ada-' || number, '{}', '[]', 0, 'desk', '${ADA}', NULL
      FROM generate_series(1, ${EVENTS}) AS number;
    INSERT INTO payloads SELECT seq, '\\x7b7d' FROM events;
    INSERT INTO events (${columns}) VALUES
      ('of-ben', 1, 1, 'claude', 'Notification', 'waiting', 'bench:s1', 0, 0, 0, 'of-ben', '{}', '[{"reason":"muted by Ada L."}]', 0, 'bench',
        'Mail <Ada@Example.com>, not wada@example.com or ada@example.com.au.', 'written with Ada L.');
    UPDATE events SET message = replace(message, '<Ada@Example.com>', 'Ada@Example.com') WHERE id = 'of-ben';
    INSERT INTO payloads SELECT seq, convert_to('{"prompt":"ask\\n${ADA}\\u000a${ADA} é\\\\"}', 'UTF8') FROM events WHERE id = 'of-ben';
    INSERT INTO sessions (key, agent, state, state_since, started_at, last_event_at, last_kind, last_event_id, facts, machine)
      SELECT 'desk:' || number, 'claude', 'working', 1, 1, 1, 'turn.done', 'e', '{}', 'desk' FROM generate_series(0, 49) AS number;
    INSERT INTO sessions (key, agent, state, state_since, started_at, last_event_at, last_kind, last_event_id, facts, machine)
      VALUES ('bench:s1', 'claude', 'waiting', 1, 1, 1, 'waiting', 'of-ben', '{}', 'bench');
    INSERT INTO alerts (id, session_key, state, kind, event, event_id, opened_at, expires_at, plan)
      VALUES ('alert', 'bench:s1', 'open', 'waiting', 'Notification', 'of-ben', 1, 2, '{}');
    INSERT INTO deliveries (id, event_id, alert_id, session_key, step, channel, state, due_at, created_at, recipient)
      VALUES ('to-ada', 'of-ben', 'alert', 'bench:s1', 0, 'mail', 'pending', 1, 1, '${ADA}');
    INSERT INTO deliveries (id, event_id, alert_id, session_key, step, channel, state, due_at, created_at, recipient)
      VALUES ('to-ben', 'of-ben', 'alert', 'bench:s1', 1, 'mail', 'pending', 2, 1, 'ben@example.com');
    INSERT INTO attempts (delivery_id, number, started_at, duration_ms, outcome) VALUES ('to-ben', 1, 1, 1, 'retry');
    INSERT INTO channel_states (channel, not_before, circuit, failures) VALUES ('mail', 0, 'closed', 0);
    INSERT INTO quarantine (id, at, reason, detail, bytes) VALUES ('file', 1, 'bad', '', 1);
    INSERT INTO mutes (id, created_at, person) VALUES ('of-ada', 1, '${ADA}'), ('of-ben', 1, 'ben@example.com');
    INSERT INTO reply_links (token_hash, event_id, created_at, expires_at) VALUES ('hash', 'of-ben', 1, 2);
    INSERT INTO questions (id, session_key, agent, request_hash, hold, choices, state, opened_at, deadline, answered_by, machine)
      VALUES ('of-ben', 'bench:s1', 'claude', 'hash', '{}', '[]', 'held', 1, 2, 'Ada L.', 'bench');
    INSERT INTO answers_under_way (question_id, answer_id, machine, body, given_at) VALUES ('of-ben', 'a', 'bench', '{}', 1);
    INSERT INTO waits (event_id, session_key, machine, agent, kind, since) VALUES ('of-ben', 'bench:s1', 'bench', 'claude', 'waiting', 1);
    INSERT INTO poller_memory (name, body, written_at) VALUES ('budget', '{}', 1);
    INSERT INTO policies (version, body) VALUES (1, '{}');
  `);
  const texts = await postgres.run(`
    SELECT columns.table_name, column_name FROM information_schema.columns
    JOIN information_schema.tables USING (table_schema, table_name)
    WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' AND data_type = 'text' AND is_generated = 'NEVER'
      AND columns.table_name NOT IN ('audit', 'people', 'machines', 'invitations', 'nonces', 'counter_shards', 'key_seal', 'heartbeats')
      AND column_name NOT IN ('id', 'key', 'name', 'machine', 'session_key', 'event_id', 'question_id', 'delivery_id', 'channel', 'token_hash', 'state', 'recipient', 'person', 'answered_by', 'circuit', 'alert_id', 'held_for')
  `);
  assert.ok(texts.length > 60, `${texts.length} columns`);
  const updates = texts.map(({ table_name: table, column_name: column }) => {
    const own = table === 'deliveries' ? "id = 'to-ben'" : 'true';
    const where = table === 'events' ? "id = 'of-ben'" : own;
    return `UPDATE ${String(table)} SET ${String(column)} = coalesce(${String(column)} || ' ', '') || '${ADA}' WHERE ${where}`;
  });
  await postgres.run(updates.join(';'));
}

/** Columns of any type that contain the address. */
async function mentions({ postgres }: HubScene): Promise<readonly string[]> {
  const columns = await postgres.run(`
    SELECT columns.table_name, column_name, data_type FROM information_schema.columns
    JOIN information_schema.tables USING (table_schema, table_name)
    WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'
  `);
  const parts = columns.map((row) => {
    const [table, column] = [String(row['table_name']), String(row['column_name'])];
    const text =
      row['data_type'] === 'bytea' ? `encode("${column}", 'escape')` : `"${column}"::text`;
    return `(SELECT '${table}.${column}' AS place FROM "${table}" WHERE ${text} ~* '${addressPattern(ADA)}' LIMIT 1)`;
  });
  return (await postgres.run(parts.join(' UNION ALL '))).map(({ place }) => String(place));
}
