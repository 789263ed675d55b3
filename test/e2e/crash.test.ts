import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import { loadDriver } from '../../src/store/sqlite/driver.ts';
import type { Line, FileChannelHome } from '../support/file-channel-home.ts';
import { fileChannelHome, readLines } from '../support/file-channel-home.ts';
import { until } from '../support/hookbell-home.ts';
import { openHttpEndpoint } from '../support/http-endpoint.ts';
import { isAlive } from '../support/is-alive.ts';
import { chooseSeed, rounds, seededRandom } from '../support/seeded-random.ts';
import { storeAt } from '../support/store.ts';

/** A payload whose bytes would change if they were parsed and written again. */
function payloadOf(claim: string): string {
  return `\n{ "message":"${claim}",\t"session_id" : "s1", "hook_event_name":"Notification" ,
 "cwd": "/home/dev/shop", "x": [1.0e2, "\\u00e9\\/", "é 👍 \\ud83d"], "message":"${claim}" }\r\n \n`;
}

function claimOf({ body }: Pick<Line, 'body'>): string {
  return /claim-\d+/.exec(body)?.[0] ?? body;
}

function countBy<Item>(items: readonly Item[], key: (item: Item) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1);
  return counts;
}

/** Sends claims, `width` at a time; each hook must exit 0 and print nothing. */
async function handIn(
  place: FileChannelHome,
  wanted: readonly string[],
  width: number,
): Promise<void> {
  const left = [...wanted];
  async function work(): Promise<void> {
    for (let claim = left.shift(); claim !== undefined; claim = left.shift()) {
      const { code, stdout, stderr } = await place.handOver(payloadOf(claim));
      assert.deepEqual([claim, code, stdout, stderr], [claim, 0, '', '']);
    }
  }
  await Promise.all(Array.from({ length: width }, work));
}

/** Waits until nothing is in transit. */
async function untilQuiet(place: FileChannelHome): Promise<void> {
  await until(async () => {
    const { spool, deliveries } = await place.ask('GET /v1/status');
    return spool.pending === 0 && deliveries.pending === 0;
  });
}

async function warnsOf(place: FileChannelHome, what: RegExp): Promise<boolean> {
  const status = await place.ask('GET /v1/status').catch(() => null);
  return status?.warnings.some((warning) => what.test(warning)) ?? false;
}

function claims(count: number): readonly string[] {
  return Array.from({ length: count }, (_, number) => `claim-${number}`);
}

const KILLS = rounds(5);

describe('a daemon that is killed', () => {
  test('at random moments under load loses no event, changes no byte, and marks what it may have sent twice (fault 1)', async (t) => {
    const seed = chooseSeed();
    t.diagnostic(`HOOKBELL_SEED=${seed}`);
    const random = seededRandom(seed);
    const wanted = claims(KILLS * 40);
    await using place = await fileChannelHome();
    await place.start();

    const load = handIn(place, wanted, 3);
    for (let kills = 0; kills < KILLS; kills += 1) {
      await delay(random() * 250);
      await place.killDaemon();
      await place.start();
    }
    await load;
    await untilQuiet(place);
    const lines = await place.lines();
    await place.killDaemon();

    assert.deepEqual([...new Set(lines.map(claimOf))].toSorted(), wanted.toSorted());
    await using stored = await storeAt(place.paths.database);
    const twice = countBy(lines, ({ eventId }) => eventId);
    for (const { eventId, body } of lines) {
      const entry = await stored.store.history.event(eventId);
      const payload = Buffer.from(entry?.payload ?? []).toString();
      assert.equal(payload, payloadOf(/claim-\d+/.exec(body)?.[0] ?? ''));
      if (twice.get(eventId) === 1) continue;
      const delivery = entry?.deliveries.find(({ channel }) => channel === 'out');
      assert.equal(delivery?.possibleDuplicate, true, `${body} came twice and is not marked`);
    }
    t.diagnostic(`${lines.length - wanted.length} of ${wanted.length} events repeated`);
    // A kill may repeat what one batch had in flight.
    assert.ok(lines.length - wanted.length <= KILLS * 128);
  });

  test('is started once by 50 hooks that all find none (faults 10, 11)', async () => {
    await using place = await fileChannelHome();
    await place.start();
    await place.killDaemon();
    const wanted = claims(50);

    await handIn(place, wanted, 50);
    await until(async () => (await place.lines()).length >= wanted.length);
    await untilQuiet(place);

    assert.deepEqual((await place.lines()).map(claimOf).toSorted(), wanted.toSorted());
    const log = await readFile(place.paths.log, 'utf8');
    assert.equal(log.match(/"msg":"Ready"/g)?.length, 2);
  });
});

test('200 concurrent hooks are all taken in once, and the daemon answers meanwhile (fault 45)', async () => {
  await using place = await fileChannelHome();
  await place.start();
  const wanted = claims(200);

  const load = handIn(place, wanted, 200);
  await place.ask('GET /v1/status', { timeoutMs: 5_000 });
  await load;
  await until(async () => (await place.lines()).length >= wanted.length);
  await untilQuiet(place);

  assert.deepEqual((await place.lines()).map(claimOf).toSorted(), wanted.toSorted());
});

describe('a daemon that is stopped', () => {
  test('by SIGTERM with a queue ends with 0, and the next one sends the rest once (fault 6)', async () => {
    await using place = await fileChannelHome({
      slow: '{ type: command, command: [sh, -c, "sleep 0.3; cat >> slow.jsonl"], rate: { burst: 1, every: 10ms } }',
    });
    const daemon = await place.start();
    const wanted = claims(8);
    await handIn(place, wanted, 8);
    await until(async () => (await place.ask('GET /v1/status')).deliveries.sent >= 3);

    daemon.kill('SIGTERM');
    await until(() => daemon.exitCode !== null);
    await place.start();
    await untilQuiet(place);

    assert.equal(daemon.exitCode, 0);
    const sent = await place.ask('GET /v1/queue', { query: { state: 'sent' } });
    const slow = sent.filter(({ channel }) => channel === 'slow');
    assert.equal(slow.length, wanted.length);
    const lines = await readLines(join(place.home, '.config/hookbell/slow.jsonl'));
    assert.deepEqual(lines.map(claimOf).toSorted(), wanted.toSorted());
  });

  test('leaves no event of a hook that saw it alive a moment before: another one comes by itself (A12)', async () => {
    await using place = await fileChannelHome();
    const daemon = await place.start();
    // As long as it is stopped, hooks take it for alive and it takes nothing in.
    daemon.kill('SIGSTOP');
    await handIn(place, claims(3), 1);

    daemon.kill('SIGKILL');

    await until(async () => {
      const status = await place.ask('GET /v1/status').catch(() => null);
      return status?.events === 3;
    });
  });

  test('stays away when it was asked to stop', async () => {
    await using place = await fileChannelHome();
    const daemon = await place.start();
    const watcher = await shellThatWaits(place);
    const ended = once(daemon, 'exit');
    await place.ask('POST /v1/stop');
    await ended;
    await writeFile(join(place.paths.spool, 'left'), 'an event without a reader');

    await until(() => !isAlive(watcher));
    await assert.rejects(place.ask('GET /v1/status'));
  });

  test('by SIGSTOP delays no hook, is said not to answer, and goes on without loss or repeat (fault 7)', async () => {
    await using place = await fileChannelHome();
    const daemon = await place.start();
    const wanted = claims(20);

    daemon.kill('SIGSTOP');
    await handIn(place, wanted, 4);
    const status = await place.cli('status');
    daemon.kill('SIGCONT');
    await until(async () => (await place.lines()).length >= wanted.length);
    await untilQuiet(place);

    assert.equal(status.code, 4);
    assert.match(status.stderr, /running but does not respond/);
    assert.deepEqual((await place.lines()).map(claimOf).toSorted(), wanted.toSorted());
  });
});

describe('a state directory', () => {
  test('that is deleted while the daemon runs is made anew, and reported (fault 20)', async () => {
    await using place = await fileChannelHome();
    const daemon = await place.start();
    await place.handOver(payloadOf('claim-0'));
    await until(async () => (await place.lines()).length === 1);

    await rm(place.paths.state, { recursive: true, force: true, maxRetries: 5 });
    await place.handOver(payloadOf('claim-1'));
    await until(async () => (await place.lines()).length === 2);
    await until(() => warnsOf(place, /had to restart: ".*" was deleted or replaced/));
    const second = await place.start();
    await until(() => second.exitCode !== null);
    await place.handOver(payloadOf('claim-2'));
    await until(async () => (await place.lines()).length === 3);

    assert.equal((await place.ask('GET /v1/status')).pid, daemon.pid);
    assert.deepEqual((await place.lines()).map(claimOf), ['claim-0', 'claim-1', 'claim-2']);
  });

  test('that is deleted again and again while the daemon starts anew is made anew in the end (fault 20)', async () => {
    await using place = await fileChannelHome();
    const daemon = await place.start();

    // Some of these meet a daemon that is only about to make its files again.
    for (let round = 0; round < rounds(20); round += 1) {
      await rm(place.paths.state, { recursive: true, force: true, maxRetries: 5 });
      await delay(40);
    }
    await until(() => warnsOf(place, /had to restart/));
    await place.handOver(payloadOf('claim-1'));
    await until(async () => (await place.lines()).length === 1);

    assert.equal((await place.ask('GET /v1/status')).pid, daemon.pid);
  });

  test('whose quarantine is deleted still sets aside what cannot be read (fault 20)', async () => {
    await using place = await fileChannelHome();
    await place.start();

    await rm(place.paths.quarantine, { recursive: true });
    await place.handOver('{"cut');
    await until(async () => (await place.ask('GET /v1/status')).spool.quarantined === 1);

    assert.equal((await place.ask('GET /v1/quarantine')).length, 1);
  });
});

describe('a database that is replaced', () => {
  const replacements: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
    garbage: (path) => writeFile(path, randomBytes(50_000)),
    'no bytes at all': (path) => writeFile(path, ''),
    'a directory': async (path) => {
      await rm(path);
      await mkdir(path);
    },
  };
  for (const [name, replace] of Object.entries(replacements)) {
    test(`by ${name} between two runs is set aside; the spool is kept, people are notified (fault 19)`, async () => {
      await using slack = await openHttpEndpoint();
      await using place = await fileChannelHome({
        team: `{ type: slack, webhook: "${slack.url}/hook", allow_any_host: true }`,
      });
      const former = await place.start();
      former.kill('SIGTERM');
      await until(() => former.exitCode !== null);
      await replace(place.paths.database);
      await rm(place.paths.launch);
      await place.handOver(payloadOf('claim-0'));
      assert.equal((await readdir(place.paths.spool)).length, 1);

      await place.start();
      await until(async () => (await place.lines()).length === 1);
      await until(() => slack.requests.some(({ body }) => /database was damaged/.test(body)));

      assert.ok(await warnsOf(place, /database was damaged .* moved to "hookbell\.db\.damaged-/));
      assert.deepEqual((await place.lines()).map(claimOf), ['claim-0']);
    });
  }

  const changes = [
    {
      change: 'DROP TABLE mutes',
      what: 'set aside',
      warning:
        /database was damaged \(.*table "mutes" is missing.*\) and was moved to "hookbell\.db\./,
    },
    {
      change: 'DROP INDEX events_by_agent',
      what: 'repaired',
      warning:
        /database was changed by another program: 1 of its .* \(events_by_agent\) were repaired/,
    },
  ];
  for (const { change, what, warning } of changes) {
    test(`by one after "${change}" is ${what}, as status and doctor say (A10)`, async () => {
      await using place = await fileChannelHome();
      const former = await place.start();
      await place.handOver(payloadOf('claim-0'));
      await until(async () => (await place.lines()).length === 1);
      former.kill('SIGTERM');
      await until(() => former.exitCode !== null);
      const driver = (await loadDriver())(place.paths.database);
      driver.exec(change);
      driver.close();

      await place.start();
      await until(() => warnsOf(place, warning));
      await place.handOver(payloadOf('claim-1'));
      await until(async () => (await place.lines()).some((line) => claimOf(line) === 'claim-1'));

      assert.match((await place.cli('status')).stdout, warning);
      assert.match((await place.cli('doctor')).stdout, warning);
    });
  }

  test('by garbage while the daemon runs is set aside; no event is lost, people are notified (fault 19)', async () => {
    await using place = await fileChannelHome();
    const former = await place.start();
    await place.handOver(payloadOf('claim-0'));
    await until(async () => (await place.lines()).length === 1);

    await writeFile(place.paths.database, randomBytes(50_000));
    await writeFile(`${place.paths.database}-wal`, randomBytes(50_000));
    await place.handOver(payloadOf('claim-1'));
    await until(async () => (await place.lines()).some((line) => claimOf(line) === 'claim-1'));
    former.kill('SIGTERM');
    await until(() => former.exitCode !== null);
    await place.start();
    await place.handOver(payloadOf('claim-2'));
    await until(async () => (await place.lines()).some((line) => claimOf(line) === 'claim-2'));

    assert.ok(await warnsOf(place, /database was damaged .* moved to "hookbell\.db\.damaged-/));
  });
});

/** The shell that waits for the end of the daemon. */
async function shellThatWaits({ paths }: FileChannelHome): Promise<number> {
  for (const name of await readdir('/proc')) {
    const words = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '');
    if (words.includes(`${paths.launch}\0watch\0`)) return Number(name);
  }
  throw new Error('No shell waits for the end of the daemon');
}
