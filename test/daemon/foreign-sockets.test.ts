import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, lchown, mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { findSessionTerminal } from '../../src/channels/support/notify-terminal.ts';
import { askProgram } from '../../src/platform/ask-program.ts';
import type { HookFacts } from '../../src/core/facts.ts';
import { silentLog } from '../../src/platform/log.ts';
import { bringForward } from '../../src/attention/bring-forward.ts';
import { gonePanesHere, presenceHere } from '../../src/attention/presence-sources.ts';
import { createRecorder } from '../support/recorder.ts';
import { sampleSession } from '../support/store.ts';
import { needsOtherUser } from '../support/other-user.ts';
import { needs } from '../support/system-part.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const OTHER = 65_534;

interface FakeServer extends AsyncDisposable {
  readonly socket: string;
  readonly directory: string;
  /** How many clients came. */
  readonly clients: () => number;
}

/** What an attacker has instead of a tmux server: whatever connects to it can be made to run programs. */
async function openFakeServer(): Promise<FakeServer> {
  const place = await temporaryDirectory();
  const directory = join(place.path, 'tmux-0');
  await mkdir(directory, { mode: 0o700 });
  await chmod(place.path, 0o755);
  const socket = join(directory, 'default');
  let clients = 0;
  const server = createServer((client) => {
    clients += 1;
    client.on('error', () => {}).destroy();
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  return {
    socket,
    directory,
    clients: () => clients,
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve));
      await place[Symbol.asyncDispose]();
    },
  };
}

/** Does all that connects to the tmux server of a session: presence, its end, its terminal, bringing it forward. */
async function useAll(facts: HookFacts, path: string | undefined): Promise<void> {
  const machine = { env: { PATH: path }, platform: 'linux', now: Date.now } as const;
  const session = sampleSession({ key: 'droid:s', facts });
  await presenceHere(machine).look([session]);
  await gonePanesHere(machine)([session]);
  await findSessionTerminal(
    { agent: 'droid', facts, at: 0 },
    { ...machine, ask: askProgram(machine) },
  );
  await bringForward({ agent: 'droid', facts, at: Date.now() }, { ...machine, log: silentLog });
}

function inTmux(socket: string): HookFacts {
  return { tmux: `${socket},1,0`, tmux_pane: '%0', term_program: 'tmux' };
}

const foreign: readonly (readonly [string, (server: FakeServer) => Promise<void>])[] = [
  ['that another user listens on', ({ socket }) => lchown(socket, OTHER, OTHER)],
  ['in a directory of another user', ({ directory }) => chown(directory, OTHER, OTHER)],
  ['in a directory that others may write to', ({ directory }) => chmod(directory, 0o777)],
];

describe('the socket in the header of an event (D7)', { timeout: 60_000 }, () => {
  test('a tmux server of ours is asked', { skip: needs('tmux') }, async () => {
    await using server = await openFakeServer();

    await useAll(inTmux(server.socket), process.env['PATH']);

    assert.ok(server.clients() >= 4, `${server.clients()} clients`);
  });

  for (const [what, spoil] of foreign) {
    const skip = needs('tmux') || needsOtherUser();
    test(`no tmux client connects to one ${what}`, { skip }, async () => {
      await using server = await openFakeServer();
      await spoil(server);

      await useAll(inTmux(server.socket), process.env['PATH']);

      assert.equal(server.clients(), 0);
    });

    test(`no program is given one ${what}`, { skip }, async () => {
      await using server = await openFakeServer();
      await using programs = await createRecorder();
      for (const name of ['kitten', 'kitty', 'wezterm', 'swaymsg', 'tmux'])
        await programs.add(name);
      await spoil(server);
      const { socket } = server;

      for (const facts of [
        { kitty_window_id: '3', kitty_listen_on: `unix:${socket}` },
        { term_program: 'WezTerm', wezterm_pane: '1', wezterm_unix_socket: socket },
        { swaysock: socket, ppid: String(process.pid) },
        inTmux(socket),
      ]) {
        await useAll(facts, programs.directory);
      }

      for (const name of ['kitten', 'kitty', 'wezterm', 'swaymsg', 'tmux']) {
        const given = programs.runs(name).filter((run) => JSON.stringify(run).includes(socket));
        assert.deepEqual(given, [], name);
      }
    });
  }

  test(
    'kitty, WezTerm and Sway are given a socket of ours',
    { skip: needsOtherUser() },
    async () => {
      await using server = await openFakeServer();
      await using programs = await createRecorder();
      for (const name of ['kitten', 'wezterm', 'swaymsg']) await programs.add(name);
      const { socket } = server;

      await useAll({ kitty_window_id: '3', kitty_listen_on: `unix:${socket}` }, programs.directory);
      await useAll(
        { term_program: 'WezTerm', wezterm_pane: '1', wezterm_unix_socket: socket },
        programs.directory,
      );
      await useAll({ swaysock: socket, ppid: String(process.pid) }, programs.directory);

      for (const name of ['kitten', 'wezterm', 'swaymsg']) {
        assert.notEqual(programs.runs(name).length, 0, name);
      }
    },
  );

  test(
    'kitty is given an abstract socket only where no other user listens on it',
    {
      skip: needsOtherUser() || process.platform !== 'linux',
    },
    async () => {
      await using programs = await createRecorder();
      await programs.add('kitten');
      const name = `@hookbell-test-${process.pid}`;
      const facts = { kitty_window_id: '3', kitty_listen_on: `unix:${name}` };
      const script = `require('net').createServer().listen('\\0${name.slice(1)}', () => console.log('up'))`;
      const listener = spawn(process.execPath, ['-e', script], {
        uid: OTHER,
        gid: OTHER,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const ended = once(listener, 'exit');
      await once(listener.stdout, 'data');
      await useAll(facts, programs.directory);
      const beside = programs.runs('kitten').length;
      listener.kill();
      await ended;
      assert.equal(beside, 0);

      const own = createServer();
      await new Promise<void>((resolve) => own.listen(`\0${name.slice(1)}`, resolve));
      await useAll(facts, programs.directory);
      own.close();
      assert.equal(programs.runs('kitten').length, 1);
    },
  );
});
