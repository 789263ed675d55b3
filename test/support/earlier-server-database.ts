import { Client } from 'pg';

import { serverMigrations } from '../../src/store/postgres/migrations/all.ts';
import { NOW } from './store.ts';

/**
 * Leaves a database as an earlier release did: events of many sessions, one of them waiting with its live alert, a first
 * step that is due and a second one to come.
 *
 * @param schema the number of migrations that release had, at least two; the rows were written after those
 */
export async function writeEarlierServerDatabase(
  url: string,
  { schema, events }: { readonly schema: number; readonly events: number },
): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`CREATE TABLE hookbell_schema (
      version bigint PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now()
    )`);
    for (const [index, migration] of serverMigrations.slice(0, schema).entries()) {
      await client.query(migration);
      await client.query('INSERT INTO hookbell_schema (version) VALUES ($1)', [index + 1]);
      if (index === 1) await fill(client, events);
    }
  } finally {
    await client.end();
  }
}

async function fill(client: Client, events: number): Promise<void> {
  await client.query(
    `INSERT INTO events (id, at, received_at, agent, event, kind, session_key, failed, subagent, background_work, duplicate_key, facts, decisions, suppressed)
    SELECT 'old-' || number, ${NOW}, ${NOW}, 'claude', 'Stop', 'turn.done', 'claude:' || number % 50, 0, 0, 0, 'old-' || number, '{}', '[]', 0
    FROM generate_series(1, ${events - 1}) AS number`,
  );
  await client.query(`
    INSERT INTO events (id, at, received_at, agent, event, kind, session_key, failed, subagent, background_work, duplicate_key, facts, decisions, suppressed)
      VALUES ('asked', ${NOW}, ${NOW}, 'claude', 'Notification', 'needs.input', 'claude:s1', 0, 0, 0, 'key', '{}', '[]', 0);
    INSERT INTO payloads SELECT seq, '\\x7b7d' FROM events;
    INSERT INTO sessions (key, agent, session_id, state, state_since, started_at, last_event_at, last_kind, last_event_id, facts)
      VALUES ('claude:s1', 'claude', 's1', 'waiting', ${NOW}, ${NOW}, ${NOW}, 'needs.input', 'asked', '{}');
    INSERT INTO alerts (id, session_key, state, kind, event, event_id, opened_at, expires_at, plan)
      VALUES ('alert', 'claude:s1', 'open', 'needs.input', 'Notification', 'asked', ${NOW}, ${NOW + 43_200_000},
        '{"name":"escalate","steps":[{"afterMs":0,"notify":["desktop"],"repeat":null,"condition":null}]}');
    INSERT INTO deliveries (id, event_id, alert_id, session_key, step, channel, state, due_at, held_for, created_at)
      VALUES ('first', 'asked', 'alert', 'claude:s1', 0, 'desktop', 'pending', ${NOW}, NULL, ${NOW}),
        ('second', 'asked', 'alert', 'claude:s1', 1, 'team', 'pending', ${NOW + 60_000}, 'step', ${NOW});
    INSERT INTO mutes (id, created_at, until, project) VALUES ('mute', ${NOW}, ${NOW + 60_000}, 'quiet');
  `);
}
