import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';

import type { Entry } from '../../src/cli/demo/timeline.ts';
import type { CommandLine } from '../support/command-line.ts';
import { commandLine } from '../support/command-line.ts';
import { isAlive } from '../support/is-alive.ts';
import { startNotificationServer } from '../support/notification-server.ts';
import { needs } from '../support/system-part.ts';

interface Report {
  readonly ok: boolean;
  readonly failure: string | null;
  readonly durationMs: number;
  readonly timeline: readonly Entry[];
}

/** A command line whose temporary files are in a directory of its own, so that what is left over shows. */
async function withTemporary(): Promise<
  CommandLine & { readonly temporary: string; readonly env: Record<string, string> }
> {
  const cli = await commandLine();
  const temporary = join(cli.home, 'tmp');
  await mkdir(temporary);
  return { ...cli, temporary, env: { TMPDIR: temporary } };
}

/** "ring team shop", in order; the hooks of agents left out, since some run at the same time. */
function happenings(timeline: readonly Entry[]): readonly string[] {
  return timeline
    .filter(({ type }) => type !== 'hook')
    .map(({ type, channel, project, what }) =>
      [type, channel, /and \d+ other sessions/.exec(what)?.[0] ?? project]
        .filter((word) => word !== null)
        .join(' '),
    );
}

function pidsIn(timeline: readonly Entry[]): readonly number[] {
  return timeline.flatMap(({ pid }) => pid ?? []);
}

function whyOf(
  timeline: readonly Entry[],
  type: Entry['type'],
  project: string,
): readonly string[] {
  return timeline
    .filter((entry) => entry.type === type && entry.project === project)
    .map(({ channel, why }) => `${channel}: ${why}`);
}

const skip = process.platform === 'linux' ? false : 'the demo runs on Linux alone';

describe('hookbell demo', { concurrency: true, skip }, () => {
  test('plays the whole product: it rings, goes on to the team, gathers, falls silent, survives a crash, and says why', async () => {
    await using cli = await withTemporary();

    const { code, stdout, stderr } = await cli.run(['demo', '--json'], { env: cli.env });

    const { ok, failure, timeline }: Report = JSON.parse(stdout);
    assert.deepEqual([ok, failure, code], [true, null, 0], stderr);
    assert.deepEqual(happenings(timeline), [
      'daemon',
      'ring desktop shop',
      'ring team shop',
      'withdrawal desktop shop',
      'ring desktop web',
      'withdrawal desktop web',
      'silence team web',
      'ring desktop billing',
      'ring desktop billing',
      'silence team billing',
      'ring team billing',
      'withdrawal desktop billing',
      'ring desktop docs',
      'ring desktop and 2 other sessions',
      'you deploy',
      'silence desktop deploy',
      'service',
      'ring desktop deploy',
      'ring desktop payments',
      'you payments',
      'withdrawal desktop payments',
      'silence team payments',
      'ring desktop mail',
      'daemon',
      'daemon',
      'ring desktop reports',
      'ring team mail',
      'withdrawal desktop mail',
    ]);
    const hooks = timeline.filter(({ type }) => type === 'hook');
    assert.equal(new Set(hooks.map(({ project }) => project)).size, 11);
    assert.deepEqual(whyOf(timeline, 'ring', 'shop'), [
      'desktop: routes[0] chooses plan "escalate"',
      'team: Step 2 of the plan: no reaction within 3 s',
    ]);
    const [web] = whyOf(timeline, 'silence', 'web');
    const [billing] = whyOf(timeline, 'silence', 'billing');
    const [mail] = whyOf(timeline, 'withdrawal', 'mail');
    assert.match(web ?? '', /^team: Answered before it was sent: prompt/);
    assert.match(billing ?? '', /^team: Superseded by needs\.input/);
    assert.match(mail ?? '', /^desktop: Resolves the alert of event/);
    assert.match(whyOf(timeline, 'silence', 'deploy').join(), /^desktop: The session still runs/);
    const told = timeline.find(({ type, channel }) => type === 'ring' && channel === 'team');
    assert.match(told?.what ?? '', /needs your permission · [^·]*\(\d+\): (?!.*Session:)/);
    assert.ok(timeline.every(({ what }) => !/&(?:lt|gt|amp);/.test(what)));
    assert.deepEqual(whyOf(timeline, 'silence', 'payments'), ['team: Acknowledged by a person']);

    assert.match(stderr, /no process is left running/);
    const [first, killed, second] = pidsIn(timeline);
    assert.ok(first === killed && first !== second);
    assert.deepEqual(pidsIn(timeline).filter(isAlive), []);
    assert.deepEqual(await readdir(cli.temporary), []);
    assert.deepEqual(await readdir(cli.home), ['tmp']);
  });

  test('Ctrl-C ends it with 1, its daemon, and its files', async () => {
    await using cli = await withTemporary();
    const child = cli.start(['demo'], cli.env);
    const [printed, said] = [text(child.stdout), text(child.stderr)];

    await once(child.stdout, 'data');
    child.kill('SIGINT');
    const [code] = await once(child, 'exit');

    assert.equal(code, 1);
    assert.match(await said, /^hookbell: The demo was interrupted\n$/);
    const pid = Number(/pid (\d+)/.exec(await printed)?.[1]);
    assert.ok(pid > 1 && !isAlive(pid));
    assert.deepEqual(await readdir(cli.temporary), []);
  });

  test('ends with its daemon and its files when its output is closed, as in "| head"', async () => {
    await using cli = await withTemporary();
    const child = cli.start(['demo', '--speed', '2'], cli.env);
    const said = text(child.stderr);

    const [printed] = await once(child.stdout, 'data');
    child.stdout.destroy();
    const [code] = await once(child, 'exit');

    assert.equal(code, 1);
    assert.match(await said, /^hookbell: The demo was interrupted\n$/);
    const pid = Number(/pid (\d+)/.exec(String(printed))?.[1]);
    assert.ok(pid > 1 && !isAlive(pid));
    assert.deepEqual(await readdir(cli.temporary), []);
  });

  test(
    '--desktop shows the pop-ups on the desktop of the person, and none stands afterwards',
    { skip: needs('dbus-daemon') },
    async () => {
      await using cli = await withTemporary();
      await using desktop = await startNotificationServer();
      const env = { ...cli.env, DBUS_SESSION_BUS_ADDRESS: desktop.address };
      const child = cli.start(['demo', '--desktop'], env);
      child.stdout.resume();
      child.stderr.resume();

      const { title } = await desktop.nextCall();
      child.kill('SIGINT');
      await once(child, 'exit');

      assert.match(title, /^shop: droid needs your permission/);
      assert.deepEqual([...desktop.standing], []);
    },
  );

  test('ends with 1 and a sentence when something does not ring, such as a desktop that is not there', async () => {
    await using cli = await withTemporary();
    const env = { ...cli.env, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' };

    const { code, stdout, stderr } = await cli.run(
      ['demo', '--desktop', '--speed', '2', '--json'],
      {
        env,
      },
    );

    const { ok, failure }: Report = JSON.parse(stdout);
    assert.deepEqual([ok, code], [false, 1]);
    assert.match(
      failure ?? '',
      /^The demo failed: "desktop" did not notify you of "shop": .*Cannot show a pop-up: .* \(dbus/,
    );
    assert.match(stderr, /--keep/);
    assert.deepEqual(await readdir(cli.temporary), []);
  });

  test('refuses a speed at which steps could not be distinguished', async () => {
    await using cli = await commandLine();

    const { code, stderr } = await cli.run(['demo', '--speed', '10']);

    assert.deepEqual(
      [code, stderr],
      [2, 'hookbell: The speed is "10", expected a number from 0.2 to 2\n'],
    );
  });
});
