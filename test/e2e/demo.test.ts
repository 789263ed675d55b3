import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';

import type { Entry } from '../../src/cli/demo/play.ts';
import type { CommandLine } from '../support/command-line.ts';
import { commandLine } from '../support/command-line.ts';
import { isAlive } from '../support/is-alive.ts';

interface Report {
  readonly ok: boolean;
  readonly failure: string | null;
  readonly durationMs: number;
  readonly timeline: readonly Entry[];
}

/** A command line with a separate directory for temporary files, so that leftovers show. */
async function withTemporary(): Promise<
  CommandLine & { readonly temporary: string; readonly env: Record<string, string> }
> {
  const cli = await commandLine();
  const temporary = join(cli.home, 'tmp');
  await mkdir(temporary);
  return { ...cli, temporary, env: { TMPDIR: temporary } };
}

/** "sent team shop", in order; the hooks of agents left out, since some run at the same time. */
function happenings(timeline: readonly Entry[]): readonly string[] {
  return timeline
    .filter(({ type }) => type !== 'hook')
    .map(({ type, channel, project, what }) =>
      [type, channel, /\(with \w+ and \w+\)/.test(what) ? 'three' : project]
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

describe('hookbell demo', { concurrency: true }, () => {
  test('plays the whole product: messages, escalation, bursts, answers, a crash, and the reasons', async () => {
    await using cli = await withTemporary();

    const { code, stdout, stderr } = await cli.run(['demo', '--json'], { env: cli.env });

    const { ok, failure, timeline }: Report = JSON.parse(stdout);
    assert.deepEqual([ok, failure, code], [true, null, 0], stderr);
    assert.deepEqual(happenings(timeline), [
      'daemon',
      'sent desktop shop',
      'sent team shop',
      'closed shop',
      'sent desktop web',
      'closed web',
      'cancelled team web',
      'sent desktop billing',
      'sent desktop billing',
      'cancelled team billing',
      'sent team billing',
      'closed billing',
      'sent desktop docs',
      'sent desktop three',
      'sent desktop payments',
      'you payments',
      'cancelled team payments',
      'sent desktop mail',
      'daemon',
      'daemon',
      'sent desktop reports',
      'sent team mail',
      'closed mail',
    ]);
    const hooks = timeline.filter(({ type }) => type === 'hook');
    assert.equal(new Set(hooks.map(({ project }) => project)).size, 10);
    const [immediate, escalated] = whyOf(timeline, 'sent', 'shop');
    assert.equal(immediate, 'desktop: routes[0] chooses plan "escalate"');
    // Counted from the hook: a busy machine adds to the three seconds.
    assert.match(escalated ?? '', /^team: Step 2 of the plan: no reaction within \d+ s$/);
    const [web] = whyOf(timeline, 'cancelled', 'web');
    const [billing] = whyOf(timeline, 'cancelled', 'billing');
    const [mail] = whyOf(timeline, 'closed', 'mail');
    assert.match(web ?? '', /^team: Answered before it was sent: prompt/);
    assert.match(billing ?? '', /^team: Superseded by needs\.input/);
    assert.match(mail ?? '', /Resolves the alert of event/);
    const sent = timeline.find(({ type, channel }) => type === 'sent' && channel === 'team');
    assert.match(sent?.what ?? '', /^shop needs permission.*npm publish/);
    assert.deepEqual(whyOf(timeline, 'cancelled', 'payments'), ['team: Acknowledged by a person']);

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

  test('ends with 1 and a sentence when something fails, such as a daemon that is not started again', async () => {
    await using cli = await withTemporary();
    const child = cli.start(['demo'], cli.env);
    const said = text(child.stderr);

    const [printed] = await once(child.stdout, 'data');
    const [home = ''] = await readdir(cli.temporary);
    await rm(join(cli.temporary, home, '.local', 'state', 'hookbell', 'launch'));
    process.kill(Number(/pid (\d+)/.exec(String(printed))?.[1]), 'SIGKILL');
    child.stdout.resume();
    const [code] = await once(child, 'exit');

    assert.equal(code, 1);
    assert.match(await said, /^hookbell: The demo failed: its daemon is not running\n/);
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
