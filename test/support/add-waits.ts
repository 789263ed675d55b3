import { loadDriver } from '../../src/store/sqlite/driver.ts';

/**
 * Adds waits that ended, as the store keeps them, over the last 90 days: of twelve projects, two agents, four kinds and
 * three channels. Requests are named, as reports have done it.
 *
 * @param path a database that no process has open
 * @param now Unix ms
 */
export async function addWaits(path: string, count: number, now: number): Promise<void> {
  const driver = (await loadDriver())(path);
  const everyMs = Math.floor((90 * 86_400_000) / count);
  driver.exec(`
    PRAGMA synchronous = OFF; BEGIN;
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
    INSERT INTO waits (event_id, session_key, agent, project, kind, since, until, ending, day, waited_ms, working_ms, gap_ms, channel, step, returned_ms, answer, request)
    SELECT 'wait-' || n, 'claude:s' || (n % 500), iif(n % 2, 'claude', 'codex'), 'project-' || (n * 7919 % 12),
      iif(n % 4, 'needs.permission', 'turn.done'), ${now} - n * ${everyMs}, ${now} - n * ${everyMs} + length,
      iif(n % 4, 'terminal', 'prompt'), date((${now} - n * ${everyMs}) / 1000, 'unixepoch'), length, length / 2, 0,
      iif(n % 3, 'desktop', 'ntfy'), n % 2, length / 3,
      iif(n % 4, iif(n % 9, 'allowed', 'denied'), NULL), iif(n % 4, '["npm run task-' || (n % 400) || ':*",[]]', NULL)
    FROM (SELECT n, 1000 + n * 7919 % 60000 AS length FROM numbers);
    COMMIT`);
  driver.close();
}
