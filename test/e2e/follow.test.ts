import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { describe, test } from 'node:test';

import type { HookbellHome } from '../support/hookbell-home.ts';
import { hookbellHome, projectRoot, until } from '../support/hookbell-home.ts';

interface Follower extends AsyncDisposable {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  /** The messages of the events it showed. */
  readonly shown: () => readonly string[];
  readonly said: () => string;
}

function startFollower(place: HookbellHome, ...words: readonly string[]): Follower {
  const main = join(projectRoot, 'dist/src/cli/main.js');
  const child = spawn(process.execPath, [main, 'history', '--follow', '--json', ...words], {
    env: place.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  return {
    child,
    shown: () =>
      out
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line).project),
    said: () => said,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

/** Sends an event that is identified by its project. */
async function event(place: HookbellHome, name: string): Promise<void> {
  const { code } = await place.hook({
    session_id: name,
    hook_event_name: 'Stop',
    cwd: `/w/${name}`,
  });
  assert.equal(code, 0);
}

function names(from: number, to: number): readonly string[] {
  return Array.from({ length: to - from }, (_, index) => `e${from + index}`);
}

describe('hookbell history --follow --json', () => {
  test('shows every event once, on a line, over pages, a killed daemon and one that starts anew', async () => {
    await using place = await hookbellHome();
    await place.start();
    for (const name of names(0, 5)) await event(place, name);
    await until(async () => (await place.ask('GET /v1/status')).events === 5);
    await using follower = startFollower(place, '--limit', '3');
    await until(() => follower.shown().length === 3);

    for (const name of names(5, 10)) await event(place, name);
    await until(() => follower.shown().length === 8);
    await place.killDaemon();
    await until(() => follower.said() !== '');
    // The hooks start a daemon themselves, or find the new one.
    await place.start();
    for (const name of names(10, 15)) await event(place, name);
    await until(() => follower.shown().length >= 13);

    assert.deepEqual(new Set(follower.shown()), new Set(names(2, 15)));
    assert.equal(follower.shown().length, 13);
    assert.deepEqual(follower.shown().slice(0, 3), names(2, 5));
    assert.equal(follower.said(), 'The daemon does not answer: waiting\n');
  });

  test('misses and doubles nothing while many hooks run in parallel', async () => {
    await using place = await hookbellHome();
    await place.start();
    const all = names(0, 60);
    await Promise.all(all.slice(0, 10).map((name) => event(place, name)));
    await using follower = startFollower(place, '--limit', '10000');

    for (let from = 10; from < 60; from += 10) {
      await Promise.all(all.slice(from, from + 10).map((name) => event(place, name)));
    }
    await until(() => follower.shown().length >= 60);

    assert.deepEqual(follower.shown().toSorted(), all.toSorted());
  });

  test('shows only what its filters select, of the events before and of those that come', async () => {
    await using place = await hookbellHome();
    // Without a desktop a message waits, which counts as about to be sent.
    await place.writeConfig('channels: { here: { type: desktop, terminal: false } }\n');
    await place.start();
    const ask = (name: string): Promise<unknown> =>
      place.hook({ session_id: name, hook_event_name: 'PermissionRequest', cwd: `/w/${name}` });
    const begin = (name: string): Promise<unknown> =>
      place.hook({ session_id: name, hook_event_name: 'SessionStart', cwd: `/w/${name}` });
    await ask('old');
    await begin('quiet');
    await until(async () => (await place.ask('GET /v1/status')).events === 2);
    await using project = startFollower(place, '--project', 'new');
    await using kind = startFollower(place, '--kind', 'session.start');
    await using since = startFollower(place, '--since', '1d');
    await using rang = startFollower(place, '--rang');
    await using suppressed = startFollower(place, '--suppressed');
    const followers = { kind, since, rang, suppressed, project };
    // The one that shows none of the first events has begun when the new ones are there.
    await until(() => [kind, since, rang, suppressed].every(({ shown }) => shown().length > 0));

    await ask('new');
    await begin('still');
    const wanted = {
      kind: ['quiet', 'still'],
      since: ['old', 'quiet', 'new', 'still'],
      rang: ['old', 'new'],
      suppressed: ['quiet', 'still'],
      project: ['new'],
    };
    const shown = () => Object.values(followers).map((follower) => follower.shown());
    await until(() => shown().flat().length >= Object.values(wanted).flat().length);

    assert.deepEqual(shown(), Object.values(wanted));
  });

  test('begins behind an event, ends with 0 on SIGINT and when its output is closed, and says why it cannot begin', async () => {
    await using place = await hookbellHome();
    const none = startFollower(place);
    const [code] = await once(none.child, 'exit');
    assert.deepEqual([code, none.said().includes('Cannot reach the daemon')], [4, true]);
    await place.start();
    for (const name of ['a', 'b']) await event(place, name);
    await until(async () => (await place.ask('GET /v1/status')).events === 2);
    const [, older] = await place.ask('GET /v1/history');

    await using interrupted = startFollower(place, '--after', older?.eventId ?? '');
    await until(() => interrupted.shown().length === 1);
    interrupted.child.kill('SIGINT');
    const [end] = await once(interrupted.child, 'exit');
    await using unread = startFollower(place);
    await until(() => unread.shown().length === 2);
    unread.child.stdout.destroy();
    await event(place, 'c');
    const [endUnread] = await once(unread.child, 'exit');

    assert.deepEqual([end, endUnread], [0, 0]);
    assert.deepEqual([interrupted.said(), unread.said()], ['', '']);
    const refused = await place.cli('history', '--follow', '--before', 'e1');
    assert.match(
      refused.stderr,
      /"--follow" and "--before" exclude each other: "--follow" shows new events/,
    );
  });
});
