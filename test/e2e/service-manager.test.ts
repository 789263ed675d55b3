import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { appendFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';

import { type FileChannelHome, fileChannelHome } from '../support/file-channel-home.ts';
import { launchShells, until } from '../support/hookbell-home.ts';
import { needsUserManager, type UserManager, userManager } from '../support/user-manager.ts';

const UNIT = 'hookbell.service';

async function pidOf(place: FileChannelHome): Promise<number | null> {
  return place.ask('GET /v1/status').then(
    ({ pid }) => pid,
    () => null,
  );
}

/** Waits until the daemon of the unit serves, and returns its process: the unit and hookbell name the same one. */
async function unitServes(place: FileChannelHome, manager: UserManager): Promise<number> {
  let pid: number | null = null;
  await until(async () => {
    pid = await pidOf(place);
    return pid !== null && String(pid) === (await manager.show(UNIT, 'MainPID'));
  }, 30_000);
  assert.equal(await manager.show(UNIT, 'ActiveState'), 'active');
  assert.equal((await place.ask('GET /v1/status')).startedBy, 'service');
  return pid ?? 0;
}

async function request(place: FileChannelHome, session: string): Promise<void> {
  await place.hook({
    hook_event_name: 'Notification',
    notification_type: 'permission_prompt',
    session_id: session,
    message: 'Claude needs your permission to use Bash',
    cwd: '/home/dev/shop',
  });
}

async function arrives(place: FileChannelHome, session: string): Promise<void> {
  await until(
    async () => (await place.lines()).some(({ sessionId }) => sessionId === session),
    30_000,
  );
}

/** One installation for all: its program is copied once. Each test begins with a unit that serves. */
describe('a unit of systemd', { skip: needsUserManager(), timeout: 900_000 }, () => {
  let place: FileChannelHome;
  let manager: UserManager;
  before(async () => {
    place = await fileChannelHome();
    manager = await userManager(place.home);
    place.env['XDG_RUNTIME_DIR'] = manager.runtime;
    const { code, stdout, stderr } = await place.cli('install', '--no-hooks');
    assert.equal(code, 0, stdout + stderr);
  });
  // The limit of five starts a minute is for a unit that fails: these tests start it more often.
  beforeEach(() => manager.ctl('reset-failed', UNIT));
  after(async () => {
    await manager[Symbol.asyncDispose]();
    await place[Symbol.asyncDispose]();
  });

  test('takes over at a log-in what a hook started after the log-out (G26)', async () => {
    await manager.logOut();
    assert.equal(await pidOf(place), null);
    await request(place, 'logged-out');
    await arrives(place, 'logged-out');
    assert.equal((await place.ask('GET /v1/status')).startedBy, 'hook');

    await manager.logIn();
    await unitServes(place, manager);
    await request(place, 'logged-in');
    await arrives(place, 'logged-in');
  });

  test('is not worked around when it has failed too often, and "start" is the way out (G26)', async () => {
    await until(async () => {
      const pid = Number(await manager.show(UNIT, 'MainPID'));
      if (pid > 1) process.kill(pid, 'SIGKILL');
      return (await manager.show(UNIT, 'ActiveState')) === 'failed';
    }, 60_000);

    await request(place, 'too-often');
    // The shell that the hook started waits until the manager takes starts again.
    await until(() => existsSync(join(place.paths.state, 'told')));
    assert.equal(await pidOf(place), null);

    assert.equal((await place.cli('start')).code, 0);
    await unitServes(place, manager);
    await arrives(place, 'too-often');
    for (const pid of launchShells(place.paths.launch, 'start')) process.kill(pid, 'SIGKILL');
  });

  test('stays stopped by "stop" until a log-in, or with --forever until "start" (G27)', async () => {
    const stopped = await place.cli('stop');
    assert.match(stopped.stderr, /no one is notified until the next log-in or "hookbell start"/);
    assert.equal(await manager.show(UNIT, 'ActiveState'), 'inactive');
    await request(place, 'stopped');
    assert.deepEqual(launchShells(place.paths.launch, 'start'), []);
    assert.equal((await readdir(place.paths.spool)).length, 1);
    const { stderr } = await place.cli('status');
    assert.match(
      stderr,
      /root stopped it \d+ s ago \(.*\) until the next log-in or "hookbell start"; 1 event waits, and no one is notified/,
    );

    await manager.logOut();
    await manager.logIn();
    await unitServes(place, manager);
    await arrives(place, 'stopped');

    await place.cli('stop', '--forever');
    await manager.logOut();
    await manager.logIn();
    await until(async () => (await manager.show(UNIT, 'SubState')) === 'dead');
    assert.equal(await manager.show(UNIT, 'Result'), 'success');
    assert.equal(await pidOf(place), null);
    assert.equal((await place.cli('start')).code, 0);
    await unitServes(place, manager);
  });

  test('has the one daemon that runs, whatever starts it: a hook after a kill, "start", "restart", an upgrade (G26)', async () => {
    const first = await unitServes(place, manager);

    process.kill(first, 'SIGKILL');
    await request(place, 'after-a-kill');
    await arrives(place, 'after-a-kill');
    const second = await unitServes(place, manager);
    assert.notEqual(second, first);

    await manager.ctl('restart', UNIT);
    const third = await unitServes(place, manager);
    assert.notEqual(third, second);

    await manager.ctl('stop', UNIT);
    assert.equal(await pidOf(place), null);
    await request(place, 'after-a-stop');
    await arrives(place, 'after-a-stop');
    await unitServes(place, manager);

    assert.equal((await place.cli('restart')).code, 0);
    const fourth = await unitServes(place, manager);

    // A newer program, as an upgrade brings it.
    await appendFile(join(place.paths.program, 'package.json'), '\n');
    assert.equal((await place.cli('install', '--refresh')).code, 0);
    assert.notEqual(await unitServes(place, manager), fourth);

    const purged = await place.cli('uninstall', '--purge', '--yes');
    assert.equal(purged.code, 0, purged.stderr);
    assert.notEqual((await manager.ctl('cat', UNIT)).code, 0);
    assert.equal(await manager.show(UNIT, 'ActiveState'), 'inactive');
    assert.equal(existsSync(place.paths.state), false);
  });
});
