import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { appendFile, mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';

import { hookCommandLine } from '../../src/setup/hook-places.ts';
import { NEWEST_SCHEMA } from '../../src/core/store-aging.ts';
import { busyHooks, sessionsIn } from '../support/busy-hooks.ts';
import { type Checkout, copyCheckout } from '../support/checkout.ts';
import { type HookbellHome, hookbellHome, projectRoot, until } from '../support/hookbell-home.ts';
import { addMigration, setVersion } from '../support/next-release.ts';
import { type Finished, runProcess } from '../support/run-process.ts';
import { needs } from '../support/system-part.ts';

const OLD = '0.0.9';
const NEXT = '9.9.9';
const run = promisify(execFile);

/** A clone of a release, whose repository has a next release with one more migration. */
async function repository(): Promise<Checkout> {
  const checkout = await copyCheckout();
  const git = (...words: readonly string[]) =>
    run(
      'git',
      ['-C', checkout.path, '-c', 'user.name=t', '-c', 'user.email=t@example.org', ...words],
      { env: { PATH: process.env['PATH'] ?? '', HOME: checkout.path } },
    );
  await git('init', '--quiet', '--initial-branch=main');
  await setVersion(checkout.path, OLD);
  await git('add', '--all');
  await git('commit', '--quiet', '--message=old');
  await git('branch', 'old');
  await setVersion(checkout.path, NEXT);
  await addMigration(checkout.path);
  await git('commit', '--quiet', '--all', '--message=next');
  const origin = join(checkout.path, '.git/origin');
  await git('clone', '--quiet', '--bare', '.', origin);
  await git('remote', 'add', 'origin', origin);
  await git('reset', '--quiet', '--hard', 'old');
  await git('fetch', '--quiet', 'origin');
  await git('branch', '--quiet', '--set-upstream-to=origin/main');
  return checkout;
}

function ok({ code, stdout, stderr }: Finished): string {
  assert.equal(code, 0, `${stdout}\n${stderr}`);
  return stdout;
}

describe('hookbell upgrade', { skip: needs('git', 'xargs', 'cp') }, () => {
  let checkout: Checkout;
  let place: HookbellHome;
  const older = (...words: readonly string[]): Promise<Finished> => place.cli(...words);
  const hookbell = (...words: readonly string[]): Promise<Finished> =>
    runProcess(join(place.home, '.local/bin/hookbell'), words, { env: place.env });
  const settingsPath = (): string => join(place.home, '.claude/settings.json');
  let line = '';

  before(async () => {
    checkout = await repository();
    place = await hookbellHome();
    await mkdir(join(place.home, '.claude'));
    await writeFile(settingsPath(), '{}');
    ok(
      // As install.sh does after the build.
      await runProcess(
        process.execPath,
        [join(checkout.path, 'dist/program/cli.js'), 'install', '--agent', 'claude', '--yes'],
        { env: place.env, cwd: '/' },
      ),
    );
    line = hookCommandLine(join(place.home, '.local/share/hookbell/hooks/hookbell-hook'), [
      '--state',
      place.paths.state,
    ]);
  });
  after(async () => {
    await place[Symbol.asyncDispose]();
    await checkout[Symbol.asyncDispose]();
  });

  test('--dry-run names the checkout and the commands, and runs none', async () => {
    const said = await hookbell('upgrade', '--dry-run');

    assert.equal(
      ok(said),
      `hookbell ${OLD}: installed from the checkout ${checkout.path}
would run: git -C ${checkout.path} pull --ff-only
would run: ${checkout.path}/install.sh --refresh --yes
`,
    );
  });

  test('pulls, builds and installs the next release while hooks run: no event is lost, and settings stay untouched', async () => {
    const request = { hook_event_name: 'Notification', message: 'May I?', session_id: 'kept' };
    ok(await place.hook({ ...request, notification_type: 'permission_prompt', cwd: '/tmp' }));
    await until(async () => (await place.ask('GET /v1/alerts')).length === 1);
    const [alert] = await place.ask('GET /v1/alerts');
    const old = await place.ask('GET /v1/status');
    const settings = await stat(settingsPath());
    assert.equal(old.version, OLD);
    await appendFile(place.paths.config, '\n# mine\n');

    const sending = busyHooks(place, line);
    const said = await hookbell('upgrade');
    await until(() => sending.sent.length > 0);
    await sending.stop();

    assert.match(ok(said), /\+ program +\S+: 0\.0\.9 -> 9\.9\.9\n/);
    assert.match(said.stdout, /\nUpgraded hookbell from 0\.0\.9 to 9\.9\.9\n$/);
    assert.deepEqual(sending.failures, []);
    const now = await place.ask('GET /v1/status');
    assert.equal(now.version, NEXT);
    assert.notEqual(now.pid, old.pid);
    const { mtimeMs, ino } = await stat(settingsPath());
    assert.deepEqual([mtimeMs, ino], [settings.mtimeMs, settings.ino]);
    assert.match(await readFile(place.paths.config, 'utf8'), /\n# mine\n$/);
    assert.deepEqual(
      (await place.ask('GET /v1/alerts')).map(({ id, state }) => [id, state]),
      [[alert?.id, alert?.state]],
    );
    await until(async () => (await place.ask('GET /v1/status')).spool.pending === 0);
    ok(await hookbell('stop'));
    const stored = await sessionsIn(place.paths.database);
    assert.deepEqual(
      [...sending.sent, 'kept'].filter((id) => !stored.has(id)),
      [],
      `${sending.sent.length} events were sent`,
    );
    assert.ok(sending.sent.length > 20, String(sending.sent.length));
    const names = await readdir(place.paths.state);
    assert.ok(names.includes(`hookbell.db.schema-${NEWEST_SCHEMA}`), names.join(' '));
    ok(await hookbell('start'));
  });

  test('again: is up to date, and the daemon is not restarted', async () => {
    const { pid } = await place.ask('GET /v1/status');

    const said = await hookbell('upgrade');

    assert.match(ok(said), /\nhookbell 9\.9\.9 is up to date\n$/);
    assert.equal((await place.ask('GET /v1/status')).pid, pid);
  });

  test('an older program refuses to be installed or started, says what to do, and the daemon of the newer one goes on', async () => {
    const { pid } = await place.ask('GET /v1/status');
    const program = await stat(join(place.paths.program, 'package.json'));
    const refusal = new RegExp(
      `^hookbell: Cannot use the database "${place.paths.database}": a newer hookbell wrote it ` +
        `\\(its schema is ${NEWEST_SCHEMA + 1}, and hookbell \\S+ knows ${NEWEST_SCHEMA} at most\\)\n` +
        '  Install the newer version again\\. Or .*"hookbell install --restore-database"',
    );

    const installed = await older('install', '--yes');

    assert.deepEqual([installed.code, installed.stdout], [1, '']);
    assert.match(installed.stderr, refusal);
    const untouched = await stat(join(place.paths.program, 'package.json'));
    assert.deepEqual([untouched.ino, untouched.mtimeMs], [program.ino, program.mtimeMs]);
    assert.equal((await place.ask('GET /v1/status')).pid, pid);

    ok(await hookbell('stop'));
    const started = await older('start');
    assert.equal(started.code, 1);
    assert.match(started.stderr, refusal);
    // Its attempt to start has recorded the older program for hooks.
    ok(await hookbell('install', '--yes', '--refresh'));
    ok(await place.hook({ hook_event_name: 'Stop', session_id: 'later', cwd: '/tmp' }));
    await until(async () =>
      (await place.ask('GET /v1/history')).some(({ sessionId }) => sessionId === 'later'),
    );
    assert.equal((await place.ask('GET /v1/status')).version, NEXT);
  });

  test('install --restore-database goes back to the copy, keeps the newer database, and the older daemon serves it', async () => {
    const said = await older('install', '--restore-database', '--refresh', '--yes');

    ok(said);
    assert.match(said.stderr, /Restored \S+\.schema-\d+; the newer database is \S+\.newer\n/);
    const { version } = JSON.parse(await readFile(join(projectRoot, 'package.json'), 'utf8'));
    assert.equal((await place.ask('GET /v1/status')).version, version);
    assert.deepEqual(
      (await place.ask('GET /v1/alerts')).map(({ session }) => session),
      ['unknown:kept'],
    );
    const ids = (await place.ask('GET /v1/history')).map(({ sessionId }) => sessionId);
    assert.ok(!ids.includes('later'));
    assert.ok((await sessionsIn(`${place.paths.database}.newer`)).has('later'));
  });
});
