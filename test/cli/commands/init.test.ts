import assert from 'node:assert/strict';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { parse } from 'yaml';

import { commandLine } from '../../support/command-line.ts';

const env = { PATH: '/usr/bin:/bin' };

describe('hookbell init without a terminal', () => {
  test('ends with 2 and names the words that answer the questions', async () => {
    await using cli = await commandLine();

    const nothing = await cli.run(['init']);
    const some = await cli.run([
      'init',
      '--no-hooks',
      '--channel',
      'slack',
      '--no-quiet-hours',
      '--no-api',
    ]);
    const yes = await cli.run(['init', '--yes', '--channel', 'email']);

    assert.deepEqual([nothing.code, some.code, yes.code], [2, 2, 2]);
    assert.equal(
      nothing.stderr,
      `hookbell: Cannot prompt without a terminal
  Set
    --agent NAME or --no-hooks
    --channel TYPE
    --quiet-hours FROM-TO or --no-quiet-hours
    --api URL or --no-api
    --yes\n`,
    );
    assert.match(some.stderr, /\n {2}Set\n {4}--set slack\.webhook=file:PATH .*\n {4}--yes\n$/);
    assert.match(
      yes.stderr,
      /^hookbell: Some options have no default\n {2}Set\n {4}--set email\.to=VALUE\n {4}--set email\.smtp\.host=VALUE\n$/,
    );
    assert.deepEqual(await readdir(cli.home), []);
  });

  test('--dry-run prints the configuration and does nothing', async () => {
    await using cli = await commandLine();
    await mkdir(join(cli.home, '.gemini'));
    const words = ['init', '--yes', '--dry-run', '--channel', 'slack', '--channel', 'desktop'];
    const secret = { HOOKBELL_INIT_SLACK_WEBHOOK: 'https://hooks.slack.com/services/hunter2' };

    const shown = await cli.run([...words, '--quiet-hours', '22:00-07:30'], {
      env: { ...env, ...secret },
    });
    const json = await cli.run([...words, '--json'], { env: { ...env, ...secret } });

    assert.equal(shown.code, 0, shown.stderr);
    assert.deepEqual(parse(shown.stdout), {
      channels: {
        desktop: { type: 'desktop' },
        slack: { type: 'slack', webhook: { file: '~/.secrets/hookbell-slack-webhook' } },
      },
      plans: { escalate: [{ notify: 'desktop' }, { after: '2m', notify: 'slack' }] },
      routes: [
        { match: { severity: ['warning', 'critical'] }, plan: 'escalate' },
        { match: { kind: 'turn.done', longer_than: '20s' }, plan: 'escalate' },
      ],
      quiet_hours: { from: '22:00', to: '07:30' },
      history: { keep: '90d', max_size: '500MB' },
    });
    const [, done = ''] = shown.stderr.split('\nThis is what would be done:\n');
    assert.ok(done.includes(`+ config     ${cli.paths.config}\n`), done);
    assert.ok(done.includes(`+ hooks      gemini: ${join(cli.home, '.gemini')}`), done);
    assert.match(done, /\nHooks of gemini: .*\bNotification\b/);
    assert.match(done, /\nA secret would be stored in .*hookbell-slack-webhook\n/);
    assert.match(done, /\nNothing was changed\n$/);
    const { dryRun, path, config, secrets, steps } = JSON.parse(json.stdout);
    assert.deepEqual([dryRun, path], [true, cli.paths.config]);
    assert.match(config, /^channels:\n {2}desktop: \{ type: desktop \}$/m);
    assert.deepEqual(secrets, [join(cli.home, '.secrets/hookbell-slack-webhook')]);
    assert.ok(
      steps.some(({ text }: { readonly text: string }) => text.startsWith('gemini: ')),
      json.stdout,
    );
    assert.ok(!`${shown.stdout}${shown.stderr}${json.stdout}${json.stderr}`.includes('hunter2'));
    assert.deepEqual(await readdir(cli.home), ['.gemini']);
  });

  test('replaces the file that an installation writes, if it is unchanged, without asking', async () => {
    await using cli = await commandLine();
    await cli.run(['config', 'init']);

    const words = ['init', '--yes', '--no-hooks', '--channel', 'file', '--dry-run', '--json'];
    const untouched = await cli.run(words);
    const stopped = await cli.run([...words, '--existing', 'stop']);

    assert.equal(untouched.code, 0);
    assert.match(untouched.stdout, /"state": "done",\n +"text": "[^"]*config\.yaml"/);
    assert.equal(stopped.code, 1);
    assert.match(stopped.stderr, /^hookbell: Configuration ".*" already exists\n {2}Nothing was/);
  });

  for (const [words, said] of [
    [['--agent', 'emacs'], /Unknown agent "emacs"/],
    [['--agent', 'droid', '--no-hooks'], /exclude each other/],
    [['--channel', 'slakc'], /"slakc", expected one of desktop, .*webhook/],
    [['--set', 'slack=x'], /"slack" is not a channel option/],
    [['--quiet-hours', '22-7'], /"--quiet-hours 22-7" is not a range of hours/],
    [['--existing', 'delete'], /expected one of keep, backup, stop/],
    [
      ['--channel', 'slack', '--set', 'slack.webhok=x', '--set', 'slack.webhook=env:A'],
      /\nchannels\.slack\.webhok: is not an option of channel type "slack", did you mean "webhook"\?/,
    ],
  ] as const) {
    test(`refuses ${words.join(' ')}, with code 2`, async () => {
      await using cli = await commandLine();

      const { code, stdout, stderr } = await cli.run(['init', '--yes', '--dry-run', ...words]);

      assert.match(stderr, said);
      assert.deepEqual([code, stdout], [2, '']);
    });
  }
});
