import assert from 'node:assert/strict';
import { test } from 'node:test';

import { nodeNotifier } from '../../../src/channels/desktop/node-notifier.ts';
import { desktopOptions, popUpOf } from '../../../src/channels/desktop/pop-up.ts';
import { desktopPrograms } from '../../../src/channels/desktop/backend.ts';
import type { Notification } from '../../../src/core/notification.ts';
import { isAlive } from '../../support/is-alive.ts';
import { createRecorder } from '../../support/recorder.ts';
import { sampleNotification } from '../../support/sample.ts';
import { until } from '../../support/until.ts';

// On Linux the package runs notify-send through a shell: what reaches the recorder went all the way.
async function showByPackage(script: string, fields: Partial<Notification>, runMs = 20_000) {
  const programs = await createRecorder();
  await programs.add('notify-send', { script });
  await programs.lend('which', '/usr/bin/which');
  const env = { PATH: `${programs.directory}:/usr/bin:/bin` };
  const backend = nodeNotifier(desktopPrograms('linux', env, { runMs, askMs: runMs }));
  const popUp = popUpOf(sampleNotification(fields), desktopOptions.parse({}));
  const shown = await backend.show(popUp, new AbortController().signal);
  return { programs, shown };
}

test('desktop by node-notifier: a leading dash is shown as text (P40), and what is below the title is not shown', async () => {
  const { programs, shown } = await showByPackage('', { title: '--help', body: 'a secret' });
  await using _ = programs;

  const [run] = programs.runs('notify-send');
  assert.equal(shown.type, 'shown');
  assert.deepEqual(run?.arguments.slice(0, 2), ['hookbell', '\u200b--help']);
});

test('desktop by node-notifier: a title is never a command of its shell (T5)', async () => {
  const title = '$(touch x) `touch x` "; touch x; " \\" \\$(x) &&';
  const { programs, shown } = await showByPackage('', { title });
  await using _ = programs;

  const [run] = programs.runs('notify-send');
  assert.equal(shown.type, 'shown');
  assert.equal(run?.arguments[1], `\u200b${title}`);
});

test('desktop by node-notifier: what it says on stderr is a failure (P43)', async () => {
  const { programs, shown } = await showByPackage('echo trouble >&2', {});
  await using _ = programs;

  assert.equal(shown.type, 'failed');
});

test('desktop by node-notifier: a NUL neither fails nor breaks it for the next one (P41)', async () => {
  const { programs, shown } = await showByPackage('', { title: 'a\0b' });
  await using _ = programs;

  assert.equal(shown.type, 'shown');
});

test('desktop by node-notifier: a notifier that hangs is killed (P42)', async () => {
  const { programs, shown } = await showByPackage('exec /bin/sleep 600', {}, 3_000);
  await using _ = programs;

  assert.deepEqual(shown, {
    type: 'failed',
    reason: 'did not end within 3 s',
    maybeShown: true,
  });
  const [run] = programs.runs('notify-send');
  assert.ok(run);
  // A signal to a group takes effect in each of its processes at a different time.
  await until(() => !isAlive(run.pid));
});
