import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import { readLines } from '../support/file-channel-home.ts';
import { hookbellHome, until } from '../support/hookbell-home.ts';
import { needsPostgres, startPostgres } from '../support/postgres.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const skip = needsPostgres();

test(
  'two daemons share a database: SIGKILL of one loses nothing, and what may arrive twice is marked',
  { skip },
  async () => {
    await using postgres = await startPostgres();
    await using shared = await temporaryDirectory();
    const out = join(shared.path, 'out.jsonl');
    await using one = await hookbellHome();
    await using other = await hookbellHome();
    for (const place of [one, other]) {
      const url = join(place.home, 'database-url');
      await writeFile(url, `${postgres.url}\n`, { mode: 0o600 });
      await place.writeConfig(`store: { postgres: { url: { file: ${url} } } }
channels: { out: { type: file, path: ${out} } }
routes: [{ match: {}, notify: [out] }]
`);
      await place.start();
    }
    const claims = Array.from({ length: 60 }, (_, index) => `claim-${index}-`);
    const handIn = async (claim: string, place: typeof one): Promise<void> => {
      const { code, stdout, stderr } = await place.hook({
        hook_event_name: 'Notification',
        session_id: claim,
        message: claim,
        cwd: '/home/dev/shop',
      });
      assert.deepEqual([code, stdout, stderr], [0, '', '']);
    };

    for (const [index, claim] of claims.entries()) {
      // What the killed one has not taken in yet waits in its spool.
      if (index === 20) await one.killDaemon();
      if (index === 40) await one.start();
      await handIn(claim, index % 2 === 0 ? one : other);
    }
    await until(async () => {
      const bodies = (await readLines(out)).map(({ body }) => body);
      return claims.every((claim) => bodies.some((body) => body.includes(claim)));
    });
    await until(async () => (await other.ask('GET /v1/status')).deliveries.pending === 0);
    // Whatever was to be sent twice would be by now.
    await delay(1_500);

    const lines = await readLines(out);
    for (const claim of claims) {
      const [, ...again] = lines.filter(({ body }) => body.includes(claim));
      assert.ok(
        again.every(({ possibleDuplicate }) => possibleDuplicate),
        `${claim} arrived again unmarked`,
      );
    }
    const [there] = await postgres.run('SELECT count(*)::int AS count FROM events');
    assert.equal(there?.['count'], claims.length);
    // Both answer from the same database, and none has its own file.
    for (const place of [one, other]) {
      const { stdout } = await place.cli('history', '--limit', '100', '--json');
      assert.ok(stdout.includes('claim-59-') && stdout.includes('claim-0-'), stdout.slice(0, 500));
    }
  },
);

test(
  'a daemon refuses a database elsewhere without TLS, and says what to write',
  { skip },
  async () => {
    await using place = await hookbellHome();
    await place.writeConfig(
      'store: { postgres: { url: "postgres://ada:hunter2@db.example.com/hookbell?sslmode=disable" } }\n',
    );

    const { code, stderr } = await place.cli('daemon');

    assert.equal(code === 0, false);
    assert.match(
      stderr,
      /Cannot use store\.postgres\.url: sslmode is "disable".*expected verify-full/,
    );
    assert.doesNotMatch(stderr, /hunter2/);
  },
);
