import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { ended } from './obligations/site.ts';
import { hookbellHome, projectRoot, until } from '../support/hookbell-home.ts';
import { startNotificationServer } from '../support/notification-server.ts';
import { needs } from '../support/system-part.ts';

/** How often V8 ran each function: by file and position. */
type Counts = ReadonlyMap<string, ReadonlyMap<number, number>>;

interface CoverageReport {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
    }[];
  }[];
}

/** @param directory where NODE_V8_COVERAGE had the reports written */
async function readCounts(directory: string): Promise<Counts> {
  const counts = new Map<string, Map<number, number>>();
  for (const name of await readdir(directory)) {
    const report: CoverageReport = JSON.parse(await readFile(join(directory, name), 'utf8'));
    for (const { url, functions } of report.result.filter((one) =>
      one.url.includes('/dist/src/'),
    )) {
      const file = relative(join(projectRoot, 'dist'), fileURLToPath(url)).replace(/\.js$/, '.ts');
      const own = counts.get(file) ?? new Map<number, number>();
      counts.set(file, own);
      // The first range of a file is its top level, which runs once.
      for (const { ranges } of functions) {
        const [{ startOffset, count } = { startOffset: 0, count: 0 }] = ranges;
        own.set(startOffset, (own.get(startOffset) ?? 0) + count);
      }
    }
  }
  return counts;
}

/** Runs a daemon of separate files for the time of `work`, and counts what it ran. */
async function countFunctions(
  name: string,
  work: (place: Awaited<ReturnType<typeof hookbellHome>>, shown: () => number) => Promise<void>,
): Promise<Counts> {
  await using server = await startNotificationServer();
  await using place = await hookbellHome();
  const coverage = join(place.home, name);
  await mkdir(coverage);
  await place.writeConfig('channels:\n  desktop: { type: desktop }\n');
  const daemon = spawn(process.execPath, [join(projectRoot, 'dist/src/daemon/main.js')], {
    env: { ...place.env, DBUS_SESSION_BUS_ADDRESS: server.address, NODE_V8_COVERAGE: coverage },
    stdio: 'inherit',
  });
  await until(async () => (await place.ask('GET /v1/status').catch(() => null)) !== null, 60_000);
  await work(place, () => server.calls.length);
  await place.ask('POST /v1/stop');
  assert.equal(await ended(daemon), 0);
  return readCounts(coverage);
}

/** The files that a page links to. */
async function filesOn(page: string): Promise<readonly string[]> {
  const text = await readFile(join(projectRoot, page), 'utf8');
  return [...text.matchAll(/\]\((\.\.\/[^)#]+)\)/g)].map(([, path = '']) =>
    join(dirname(page), path),
  );
}

/** What works beside the event: it answers the test's questions for the status, and checks the home now and then. */
const beside = new Set(['src/control', 'src/setup']);

test(
  'docs/follow-one-stop.md names files that a Stop passes, and each room that they are in',
  { skip: needs('dbus-daemon') },
  async () => {
    const before = await countFunctions('without', async () => {});
    const after = await countFunctions('with', async (place, shown) => {
      await place.hook({ hook_event_name: 'Stop', session_id: 's1', cwd: place.home });
      await until(() => shown() === 1, 60_000);
      await until(async () => (await place.ask('GET /v1/status')).deliveries.sent === 2, 60_000);
    });
    const passed = [...after].filter(([file, counts]) =>
      [...counts].some(([at, count]) => count > (before.get(file)?.get(at) ?? 0)),
    );
    const files = new Set(passed.map(([file]) => file));
    if (process.env['HOOKBELL_SHOW'] !== undefined)
      process.stderr.write(`${[...files].toSorted().join('\n')}\n`);

    const named = (await filesOn('docs/follow-one-stop.md')).filter((file) =>
      file.startsWith('src/'),
    );
    // A person does not follow more.
    assert.ok(named.length > 30 && named.length <= 46, String(named.length));
    assert.deepEqual(
      named.filter((file) => !files.has(file)),
      [],
    );
    const rooms = new Set([...named.map(roomOf), ...beside]);
    assert.deepEqual(
      [...files].filter((file) => !rooms.has(roomOf(file))),
      [],
    );
  },
);

function roomOf(file: string): string {
  return file.split('/').slice(0, 2).join('/');
}
