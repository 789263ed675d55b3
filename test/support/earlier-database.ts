import { loadDriver } from '../../src/store/sqlite/driver.ts';
import { migrations } from '../../src/store/sqlite/migrations/migrations.ts';
import { NOW } from './store.ts';

/**
 * Writes a database as an earlier release left it: an event, its waiting session, its live alert, a first step that is due
 * and a second one to come.
 *
 * @param schema the number of migrations that release had; the rows were written by the first one
 */
export async function writeEarlierDatabase(
  path: string,
  { schema, now = NOW }: { readonly schema: number; readonly now?: number },
): Promise<void> {
  const open = await loadDriver();
  const driver = open(path);
  driver.exec('PRAGMA auto_vacuum = INCREMENTAL');
  driver.exec(migrations[0] ?? '');
  driver.exec(`
    INSERT INTO events (id, at, received_at, agent, event, kind, session_key, failed, subagent, background_work, duplicate_key, facts, decisions, suppressed)
      VALUES ('old', ${now}, ${now}, 'claude', 'Notification', 'needs.input', 'claude:s1', 0, 0, 0, 'key', '{}', '[]', 0);
    INSERT INTO payloads VALUES (1, x'7b7d');
    INSERT INTO sessions (key, agent, session_id, state, state_since, started_at, last_event_at, last_kind, last_event_id, facts)
      VALUES ('claude:s1', 'claude', 's1', 'waiting', ${now}, ${now}, ${now}, 'needs.input', 'old', '{}');
    INSERT INTO alerts (id, session_key, state, kind, event, event_id, opened_at, plan)
      VALUES ('alert', 'claude:s1', 'open', 'needs.input', 'Notification', 'old', ${now},
        '{"name":"escalate","steps":[{"afterMs":0,"notify":["desktop"]},{"afterMs":60000,"notify":["team"]}]}');
    INSERT INTO deliveries (id, event_id, alert_id, session_key, step, channel, state, due_at, created_at)
      VALUES ('first', 'old', 'alert', 'claude:s1', 0, 'desktop', 'pending', ${now}, ${now}),
        ('second', 'old', 'alert', 'claude:s1', 1, 'team', 'pending', ${now + 60_000}, ${now});
  `);
  for (const migration of migrations.slice(1, schema)) driver.exec(migration);
  driver.exec(`PRAGMA user_version = ${schema}`);
  driver.close();
}
