import assert from 'node:assert/strict';
import { copyFile, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

import { hookbellHome, projectRoot, until } from '../support/hookbell-home.ts';

const release = join(projectRoot, 'test/fixtures/releases/0.1.0');
const shiftedClock = fileURLToPath(new URL('../support/shifted-clock.js', import.meta.url));
/** Its last event. */
const STOPPED_AT = 1_795_654_946_727;
/** When it would have told the channel "team" of the sessions that wait. */
const TWO_HOURS = 2 * 3_600_000;
/** Of these, "dd44" was acknowledged, and "ff66" is still in the spool. */
const SESSIONS = ['aa11', 'bb22', 'cc33', 'dd44', 'ee55', 'ff66'];

test('the daemon goes on where hookbell 0.1.0 stopped: its configuration, database and spool, a retry, and steps to come', async () => {
  await using place = await hookbellHome();
  const config = await readFile(join(release, 'config.yaml'), 'utf8');
  // The channel that 0.1.0 has tried five times is repaired.
  await place.writeConfig(config.replace('exit 75', 'cat >"$HOME/later"'));
  await mkdir(join(place.paths.state, 'spool'), { recursive: true, mode: 0o700 });
  await writeFile(
    place.paths.database,
    gunzipSync(await readFile(join(release, 'hookbell.db.gz'))),
    { mode: 0o600 },
  );
  for (const name of await readdir(join(release, 'spool'))) {
    await copyFile(join(release, 'spool', name), join(place.paths.state, 'spool', name));
  }
  const clock = join(place.home, 'clock');
  Object.assign(place.env, { HOOKBELL_TEST_CLOCK: clock });
  /** Clocks that are set forward change no waiting time, so each start is a machine that was off until then. */
  const startAt = async (at: number): Promise<void> => {
    await writeFile(clock, String(at - Date.now()));
    await place.start(['--import', shiftedClock]);
  };
  const textOf = (name: string) => readFile(join(place.home, name), 'utf8').catch(() => '');

  await startAt(STOPPED_AT + 120_000);

  await until(async () => (await place.ask('GET /v1/history')).length === 12);
  const history = await place.ask('GET /v1/history');
  assert.deepEqual(
    SESSIONS.map((id) => history.filter(({ sessionId }) => sessionId === id).length),
    [3, 3, 3, 1, 1, 1],
  );
  const [failed] = history.filter(({ kind }) => kind === 'turn.failed');
  const explained = await place.cli('explain', failed?.eventId ?? '');
  assert.equal(explained.code, 0, explained.stderr);
  assert.match(explained.stdout, /attempt 5 .*: "sh" exited with code 75/);
  await until(async () => (await textOf('later')) !== '');
  assert.match(await textOf('later'), /rate limit|failed/i);

  assert.equal((await place.cli('stop')).code, 0);
  await startAt(STOPPED_AT + TWO_HOURS + 120_000);
  await until(async () => (await textOf('team.jsonl')).split('\n').length > 3);

  const told = await textOf('team.jsonl');
  assert.deepEqual(
    SESSIONS.filter((id) => told.includes(id)),
    ['aa11', 'ee55', 'ff66'],
  );
  assert.equal((await place.hook({ hook_event_name: 'Stop', session_id: 'new' })).code, 0);
  await until(async () => (await place.ask('GET /v1/history')).length === 13);
});
