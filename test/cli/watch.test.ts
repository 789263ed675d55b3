import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, test } from 'node:test';

import { createOutput } from '../../src/cli/output.ts';
import { watch } from '../../src/cli/refresh-loop.ts';
import { DaemonUnreachableError } from '../../src/platform/errors.ts';

/** Watches these answers, one a round, and is interrupted after the last; answers what was shown and said. */
async function watched(
  answers: readonly (string | Error)[],
  { isTTY = false } = {},
): Promise<{ readonly shown: string; readonly said: string }> {
  const stdout = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY });
  const stderr = new PassThrough({ encoding: 'utf8' });
  const output = createOutput({ stdout, stderr, quiet: false, verbose: false });
  let round = 0;
  const ask = async (): Promise<string> => {
    const answer = answers[round] ?? '';
    round += 1;
    // The command listens for it instead of ending the process.
    if (round === answers.length) setImmediate(() => process.emit('SIGINT'));
    if (answer instanceof Error) throw answer;
    return answer;
  };
  await watch({ output }, { ask, show: (answer) => output.line(answer) }, { everyMs: 1 });
  return { shown: String(stdout.read() ?? ''), said: String(stderr.read() ?? '') };
}

const gone = new DaemonUnreachableError('Cannot reach the daemon');

describe('watch()', () => {
  test('shows an answer again only when it is another one', async () => {
    const { shown } = await watched(['a', 'a', 'b', 'b', 'a', '']);

    assert.equal(shown.trim(), 'a\nb\na');
  });

  test('on a terminal shows every answer, on a clean screen', async () => {
    const { shown } = await watched(['a', 'a', ''], { isTTY: true });

    assert.ok(shown.startsWith('\u001b[H\u001b[2Ja\n\u001b[H\u001b[2Ja\n'), shown);
  });

  test('waits for a daemon that went away, and says so once', async () => {
    const { shown, said } = await watched(['a', gone, gone, 'b', '']);

    assert.equal(shown.trim(), 'a\nb');
    assert.equal(said, 'The daemon does not answer: waiting\n');
  });

  test('is refused without a daemon at the start, and leaves no listener behind', async () => {
    const before = process.listenerCount('SIGTERM');

    await assert.rejects(watched([gone, 'a']), gone);

    assert.equal(process.listenerCount('SIGTERM'), before);
  });
});
