import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openInBrowser } from '../../src/reply/open-in-browser.ts';
import type { Behaviour, Recorder } from '../support/recorder.ts';
import { createRecorder } from '../support/recorder.ts';

const FILE = '/run/it is $(here) --help.html';

async function programs(made: Readonly<Record<string, Behaviour>>): Promise<Recorder> {
  const recorder = await createRecorder();
  for (const [name, behaviour] of Object.entries(made)) await recorder.add(name, behaviour);
  return recorder;
}

for (const [platform, name] of [
  ['linux', 'xdg-open'],
  ['darwin', 'open'],
] as const) {
  test(`openInBrowser() gives ${name} the file as one word, and none of the secrets around`, async () => {
    await using recorder = await programs({ [name]: {} });
    const env = { PATH: recorder.directory, BROWSER: 'w3m', SLACK_TOKEN: 'secret' };

    const trouble = await openInBrowser(FILE, { env, platform });

    const [run] = recorder.runs(name);
    assert.equal(trouble, null);
    assert.deepEqual(run?.arguments, [FILE]);
    assert.ok(run.env.includes('BROWSER=w3m'));
    assert.ok(!run.env.join().includes('secret'));
  });
}

test('openInBrowser() says what is missing, and how it failed', async () => {
  await using none = await programs({});
  await using failing = await programs({ 'xdg-open': { script: 'exit 3' } });
  const platform = 'linux';

  const missing = await openInBrowser(FILE, { env: { PATH: none.directory }, platform });
  const failed = await openInBrowser(FILE, { env: { PATH: failing.directory }, platform });

  assert.deepEqual([missing, failed], ['xdg-open was not found', 'xdg-open ended with 3']);
});

test('openInBrowser() lets the browser of a service live outside of it', async () => {
  const runsWhatFollows = 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"';
  await using recorder = await programs({
    'xdg-open': {},
    'systemd-run': { script: runsWhatFollows },
  });
  const env = { PATH: recorder.directory, INVOCATION_ID: '1', DISPLAY: ':0' };

  const trouble = await openInBrowser(FILE, { env, platform: 'linux' });

  const [unit] = recorder.runs('systemd-run');
  assert.equal(trouble, null);
  assert.ok(unit?.arguments.includes('--property=KillMode=process'));
  assert.ok(unit?.arguments.includes('--setenv=DISPLAY=:0'));
  assert.equal(unit?.arguments.at(-1), FILE);
  assert.equal(recorder.runs('xdg-open').length, 1);
});

test('openInBrowser() does without a systemd that does not answer', async () => {
  await using recorder = await programs({
    'xdg-open': {},
    'systemd-run': { script: 'exit 1' },
  });
  const env = { PATH: recorder.directory, INVOCATION_ID: '1' };

  assert.equal(await openInBrowser(FILE, { env, platform: 'linux' }), null);
  assert.equal(recorder.runs('xdg-open').length, 1);
});
