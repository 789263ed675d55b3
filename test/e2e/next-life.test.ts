import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after as afterAll, before as beforeAll, describe, test } from 'node:test';

import { programFile } from '../../src/platform/program-files.ts';
import { programVersion } from '../../src/setup/installed-program.ts';
import { type Checkout, copyCheckout } from '../support/checkout.ts';
import { type FileChannelHome, fileChannelHome } from '../support/file-channel-home.ts';
import { projectRoot, until } from '../support/hookbell-home.ts';
import { replaceIn, setVersion } from '../support/next-release.ts';
import { needsPostgres, startPostgres } from '../support/postgres.ts';
import { runProcess } from '../support/run-process.ts';
import { needs } from '../support/system-part.ts';

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
    assert.match(stop.stderr, new RegExp(`^Stopped the daemon, pid ${daemon.pid}`));
    assert.deepEqual(await ended, [0, null]);
  },
);

for (const way of ['SIGTERM', 'POST /v1/stop'] as const) {
  test(`a first start that waits for its database is known, and ends at ${way}`, async () => {
    await using place = await fileChannelHome();
    await using silent = await silentServer();
    await nameStore(place, `postgres://ada@127.0.0.1:${silent.port}/hookbell?sslmode=disable`);
    const daemon = spawn(process.execPath, [programFile('daemon')], { env: place.env });
    const ended = once(daemon, 'exit');
    await silent.asked;

    // Soon, or it would end by itself, with an error.
    await assert.rejects(place.ask('GET /v1/status'), {
      message: new RegExp(`it is starting or ending \\(pid ${daemon.pid}`),
    });
    if (way === 'SIGTERM') daemon.kill(way);
    else assert.deepEqual(await place.ask(way), { pid: daemon.pid });

    assert.deepEqual(await ended, [0, null]);
    assert.equal(existsSync(place.paths.pidFile), false);
  });
}

test('`start` that waits for a daemon says that it was stopped meanwhile, and by whom', async () => {
  await using place = await fileChannelHome();
  await using silent = await silentServer();
  await nameStore(place, `postgres://ada@127.0.0.1:${silent.port}/hookbell?sslmode=disable`);
  const starting = place.cli('start');
  await silent.asked;
  await until(() => existsSync(place.paths.pidFile));

  const stop = await place.cli('stop');
  const { code, stderr } = await starting;

  assert.match(stop.stderr, /^Stopped the daemon, pid \d+/m);
  assert.equal(code, 1, stderr);
  assert.match(stderr, /The daemon was stopped by .+ while it started\n {2}Run "hookbell start"/);
});

describe(
  'a program that is to take the place of the daemon',
  {
    skip: needs('git', 'xargs', 'cp'),
    timeout: 300_000,
  },
  () => {
    let checkout: Checkout;
    beforeAll(async () => {
      checkout = await copyCheckout();
      await setVersion(checkout.path, '9.9.9');
    });
    afterAll(() => checkout[Symbol.asyncDispose]());
    const refuses = (place: FileChannelHome, code: string) => async (words: readonly string[]) => {
      await replaceIn(join(checkout.path, 'dist/program/daemon.js'), /^[^]*$/, code);
      const { version, ...before } = await place.ask('GET /v1/status');
      const cli = join(checkout.path, 'dist/program/cli.js');
      const { code: status, stderr } = await runProcess(process.execPath, [cli, ...words], place);
      const now = await place.ask('GET /v1/status');
      assert.equal(status, 1, stderr);
      assert.match(stderr, new RegExp(`the running daemon \\(pid ${before.pid}\\) goes on`));
      assert.deepEqual(
        [now.pid, now.startedAt, now.version],
        [before.pid, before.startedAt, version],
      );
      return stderr;
    };

    test('is refused by `restart` if it hangs, and the daemon serves on', async () => {
      await using place = await fileChannelHome();
      await place.start();

      const said = await refuses(place, 'setInterval(() => {}, 1_000);\n')(['restart']);
      await request(place, 'afterwards');

      assert.match(said, /new daemon could not start: ".*daemon\.js" did not end within 15 s/);
    });

    test('is refused by an upgrade if it ends with an error, and the installed one stays', async () => {
      await using place = await fileChannelHome();
      const words = ['install', '--yes', '--no-service', '--no-hooks'];
      const first = await place.cli(...words);
      assert.equal(first.code, 0, first.stderr);
      const before = await programVersion(place.paths.program);

      const said = await refuses(
        place,
        "throw new Error('half a build');\n",
      )([...words, '--refresh']);
      await request(place, 'afterwards');

      assert.match(said, /new daemon could not start: Error: half a build/);
      assert.equal(await programVersion(place.paths.program), before);
    });

    test('is refused if it does not take the configuration, which is in force until it is repaired', async () => {
      await using place = await fileChannelHome();
      await place.start();
      const { pid } = await place.ask('GET /v1/status');
      const text = await readFile(place.paths.config, 'utf8');

      await writeFile(place.paths.config, `${text}notifies: 1\n`);
      const refused = await place.cli('restart');
      await request(place, 'meanwhile');
      await writeFile(place.paths.config, text);
      const accepted = await place.cli('restart');

      assert.equal(refused.code, 1);
      assert.match(
        refused.stderr,
        /could not start: Cannot use the configuration: .*config\.yaml:\d+:\d+ .*notifies/,
      );
      assert.equal(accepted.code, 0, accepted.stderr);
      assert.notEqual((await place.ask('GET /v1/status')).pid, pid);
    });

    test('is refused if a newer hookbell has changed the database', { skip }, async () => {
      await using postgres = await startPostgres();
      await using place = await fileChannelHome();
      await nameStore(place, postgres.url);
      await place.start();
      const { pid } = await place.ask('GET /v1/status');
      await postgres.run('INSERT INTO hookbell_schema (version) VALUES (999)');

      const { code, stderr } = await place.cli('restart');

      assert.equal(code, 1);
      assert.match(stderr, /could not start: .*its schema is 999, .*so a newer hookbell uses it/);
      assert.equal((await place.ask('GET /v1/status')).pid, pid);
    });
  },
);

test('after a daemon that a person started with a configuration of its own was killed, a hook starts one with the same (G6)', async () => {
  await using place = await fileChannelHome();
  const config = join(place.home, 'mine.yaml');
  await rename(place.paths.config, config);
  const cli = join(projectRoot, 'dist/program/cli.js');
  const byHand = spawn(process.execPath, [cli, 'daemon'], {
    env: { ...place.env, HOOKBELL_CONFIG: config },
    stdio: 'ignore',
  });
  const ended = once(byHand, 'exit');
  await until(() => place.ask('GET /v1/status').then(Boolean, () => false), 60_000);
  const { pid } = await place.ask('GET /v1/status');

  await place.killDaemon();
  await ended;
  // An agent has none of that environment.
  await request(place, 'afterwards');

  const now = await place.ask('GET /v1/status');
  assert.notEqual(now.pid, pid);
  assert.equal(now.config.path, config);
});

/** Takes connections and never answers. */
async function silentServer(): Promise<
  AsyncDisposable & { readonly port: number; readonly asked: Promise<unknown> }
> {
  const sockets = new Set<{ destroy: () => void }>();
  const server = createServer((socket) => sockets.add(socket.on('error', () => {})));
  const asked = once(server, 'connection');
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('It has no port');
  return {
    port: address.port,
    asked,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
