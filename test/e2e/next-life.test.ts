import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { describe, test } from 'node:test';

import { type FileChannelHome, fileChannelHome } from '../support/file-channel-home.ts';
import { until } from '../support/hookbell-home.ts';
import { needsPostgres, startPostgres } from '../support/postgres.ts';

async function request(place: FileChannelHome, session: string): Promise<void> {
  await place.hook({
    hook_event_name: 'Notification',
    notification_type: 'permission_prompt',
    session_id: session,
    message: 'Claude needs your permission to use Bash',
    cwd: '/home/dev/shop',
  });
  await until(
    async () => (await place.lines()).some(({ sessionId }) => sessionId === session),
    60_000,
  );
}

/** Rewrites the configuration so that it names a store on a server; returns the text before. */
async function nameStore(place: FileChannelHome, url: string): Promise<string> {
  const before = await readFile(place.paths.config, 'utf8');
  await writeFile(place.paths.config, `store: { postgres: { url: "${url}" } }\n${before}`);
  return before;
}

async function problem(place: FileChannelHome): Promise<string> {
  return (await place.ask('GET /v1/status')).config.problems.join();
}

const skip = needsPostgres();

describe('a configuration that names another store (G19)', { skip, timeout: 300_000 }, () => {
  for (const trouble of ['is down', 'never answers', 'has another name'] as const) {
    test(`is not used while its database ${trouble}: the daemon serves on, says so, and forgets it with the file`, async () => {
      await using postgres = await startPostgres();
      await using place = await fileChannelHome();
      await using silent = await silentServer();
      const daemon = await place.start();
      const { pid, startedAt } = await place.ask('GET /v1/status');
      const urls = {
        'is down': postgres.url,
        'never answers': `postgres://ada@127.0.0.1:${silent.port}/hookbell?sslmode=disable`,
        'has another name': postgres.url.replace('/hookbell?', '/elsewhere?'),
      };
      if (trouble === 'is down') await postgres.kill();

      const before = await nameStore(place, urls[trouble]);
      await until(async () => (await problem(place)) !== '', 60_000);
      await request(place, 'meanwhile');
      const second = await place.cli('start');
      const during = await place.ask('GET /v1/status');
      await writeFile(place.paths.config, before);
      await until(async () => (await problem(place)) === '', 60_000);
      const after = await place.ask('GET /v1/status');

      assert.match(
        during.config.problems.join(),
        /the earlier configuration stays in force, and this one is tried again/,
      );
      assert.match(during.warnings.join(), /Cannot use the configuration/);
      assert.match(second.stderr, new RegExp(`Already running, pid ${pid}`));
      assert.deepEqual(
        [during.pid, during.startedAt, after.pid, after.startedAt],
        [pid, startedAt, pid, startedAt],
      );
      assert.deepEqual(after.warnings, []);
      const ended = once(daemon, 'exit');
      daemon.kill('SIGTERM');
      assert.deepEqual(await ended, [0, null]);
    });
  }

  test('is used as soon as its database answers, by the same process', async () => {
    await using postgres = await startPostgres();
    await using place = await fileChannelHome();
    await place.start();
    const { pid, startedAt } = await place.ask('GET /v1/status');
    await postgres.kill();
    await nameStore(place, postgres.url);
    await until(async () => (await problem(place)) !== '', 60_000);

    await postgres.start();
    await until(async () => {
      const now = await place.ask('GET /v1/status').catch(() => null);
      return now !== null && now.startedAt !== startedAt;
    }, 90_000);
    await request(place, 'afterwards');

    assert.equal((await place.ask('GET /v1/status')).pid, pid);
    const [row] = await postgres.run('SELECT count(*)::int AS count FROM events');
    assert.equal(row?.['count'], 1);
  });
});

test(
  'a daemon whose database goes away in the moment of its restart is known, and can be stopped (G19)',
  { skip, timeout: 300_000 },
  async () => {
    await using postgres = await startPostgres();
    await using place = await fileChannelHome();
    const before = await nameStore(place, postgres.url);
    const daemon = await place.start();
    const ended = once(daemon, 'exit');
    await postgres.kill();
    // A file of the daemon that is gone has it start anew, which it cannot.
    await rm(place.paths.launch);

    await until(
      async () => /starting or ending.*database/.test((await place.cli('status')).stderr),
      60_000,
    );
    const start = await place.cli('start');
    await writeFile(place.paths.config, before);
    const stop = await place.cli('stop');

    assert.match(start.stderr, /starting or ending \(pid \d+/);
    assert.match(stop.stderr, new RegExp(`Stopped the daemon, pid ${daemon.pid}`));
    assert.deepEqual(await ended, [0, null]);
  },
);

/** Takes connections and never answers. */
async function silentServer(): Promise<AsyncDisposable & { readonly port: number }> {
  const sockets = new Set<{ destroy: () => void }>();
  const server = createServer((socket) => sockets.add(socket.on('error', () => {})));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('It has no port');
  return {
    port: address.port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
