import assert from 'node:assert/strict';
import { chmod, readFile, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

import type { FileChannelHome } from '../support/file-channel-home.ts';
import { fileChannelHome } from '../support/file-channel-home.ts';
import { until } from '../support/hookbell-home.ts';
import { needsOtherUser, runAsOther } from '../support/other-user.ts';

/** Everything down to the state directory is open to all users, so that only hookbell's own permissions protect it. */
async function openHome(): Promise<FileChannelHome> {
  const place = await fileChannelHome();
  await place.start();
  await place.hook({ session_id: 's', hook_event_name: 'Stop', cwd: '/home/dev/shop' });
  await place.handOver('no json at all');
  await until(async () => {
    const { events, spool } = await place.ask('GET /v1/status');
    return events === 1 && spool.quarantined === 1;
  });
  for (let path = dirname(place.paths.state); path !== dirname(place.home); path = dirname(path)) {
    await chmod(path, 0o755);
  }
  await chmod(dirname(place.home), 0o755);
  return place;
}

/** Says how a connection to a socket ends. */
const CONNECT = `
  const socket = require('node:net').connect(process.argv[1]);
  socket.on('connect', () => { console.log('connected'); process.exit(); });
  socket.on('error', ({ code }) => console.log(code));
`;

test(
  'another user can neither read, list, write nor connect (T1, T12, fault 50)',
  { skip: needsOtherUser() },
  async () => {
    await using place = await openHome();
    const { state, spool, quarantine, runtime, database, log, token, socket, launch } = place.paths;
    const seen = await runAsOther('ls', dirname(state));
    assert.equal(seen.code, 0, 'the test proves nothing unless the other user gets this far');

    for (const directory of [state, spool, quarantine, runtime]) {
      assert.notEqual((await runAsOther('ls', directory)).code, 0, directory);
      assert.notEqual((await runAsOther('touch', join(directory, 'planted'))).code, 0, directory);
    }
    const [kept = ''] = await readdir(quarantine);
    for (const file of [database, log, token, launch, join(quarantine, kept)]) {
      assert.notEqual((await runAsOther('cat', file)).code, 0, file);
      assert.notEqual((await runAsOther('dd', 'if=/dev/null', `of=${file}`)).code, 0, file);
    }
    // However loose the socket itself is, its directory is closed.
    await chmod(socket, 0o777);
    const connected = await runAsOther(process.execPath, '-e', CONNECT, socket);
    assert.equal(connected.stdout, 'EACCES\n');

    assert.equal((await place.ask('GET /v1/status')).events, 1);
  },
);

test(
  'each file is closed to others by its own mode, should its directory ever be open (T12)',
  { skip: needsOtherUser() },
  async () => {
    await using place = await openHome();
    const { state, spool, quarantine, runtime, database, log, token, launch } = place.paths;
    for (const directory of [state, spool, quarantine, runtime]) await chmod(directory, 0o755);

    const quarantined = (await readdir(quarantine)).map((name) => join(quarantine, name));
    const databases = (await readdir(state)).filter((name) => name.startsWith('hookbell.db'));
    const files = [
      log,
      token,
      launch,
      ...quarantined,
      ...databases.map((name) => join(state, name)),
    ];
    assert.ok(files.includes(database));
    for (const file of files) assert.notEqual((await runAsOther('cat', file)).code, 0, file);
  },
);

test(
  'another user sees no secret in the list of processes (T12, A6)',
  { skip: needsOtherUser() },
  async () => {
    await using place = await openHome();
    const token = await readFile(place.paths.token, 'utf8');
    const pid = (await readFile(place.paths.pidFile, 'utf8')).split(' ')[0] ?? '';

    const { stdout } = await runAsOther('cat', `/proc/${pid}/cmdline`);
    const environment = await runAsOther('cat', `/proc/${pid}/environ`);

    assert.match(stdout, /daemon\.js/);
    assert.ok(!stdout.includes(token.trim()));
    assert.notEqual(environment.code, 0);
  },
);
