import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdirSync, openSync } from 'node:fs';
import { test } from 'node:test';

import { listenForControl } from '../../../src/control/control-server.ts';
import { NotFoundError } from '../../../src/platform/errors.ts';
import { silentLog } from '../../../src/platform/log.ts';
import { programFile } from '../../../src/platform/program-files.ts';
import { commandLine } from '../../support/command-line.ts';
import { until } from '../../support/hookbell-home.ts';
import { openPseudoTerminal } from '../../support/pseudo-terminal.ts';
import { sampleSessionView } from '../../support/sample-views.ts';
import { needs } from '../../support/system-part.ts';

const skip = needs('script');
const DOWN = '\u001b[B';

/** `hookbell sessions --watch` on a terminal, with a daemon that knows these sessions and snoozes none. */
async function watching(ids: readonly (string | null)[]) {
  const cli = await commandLine();
  const terminal = await openPseudoTerminal();
  const snoozed: unknown[] = [];
  const sessions = ids.map((sessionId, index) =>
    sampleSessionView({ key: `claude:k${index}`, sessionId, title: `Task ${index}` }),
  );
  mkdirSync(cli.paths.runtime, { recursive: true, mode: 0o700 });
  const listen = () =>
    listenForControl({
      ...cli.paths,
      log: silentLog,
      routes: {
        'GET /v1/sessions': () => Promise.resolve(sessions),
        'POST /v1/snooze': ({ body }) => {
          snoozed.push(body);
          throw new NotFoundError('It has no open alert', { hint: 'Wait for one' });
        },
      },
    });
  let daemon = await listen();
  const tty = openSync(terminal.path, constants.O_RDWR | constants.O_NOCTTY);
  const child = spawn(process.execPath, [programFile('commandLine'), 'sessions', '--watch'], {
    env: { HOME: cli.home, HOOKBELL_STATE_DIR: cli.paths.state, NO_COLOR: '1', TERM: 'xterm' },
    stdio: [tty, tty, tty],
  });
  const ended = once(child, 'exit');
  closeSync(tty);
  let seen = '';
  return {
    sessions,
    snoozed,
    ended,
    type: (text: string) => terminal.type(text),
    /** Settles once something is shown that was not there at the last call. */
    async shows(words: RegExp): Promise<void> {
      await until(async () => {
        seen += await terminal.taken();
        return words.test(seen);
      });
      seen = '';
    },
    stop: () => daemon.close(),
    async startAgain() {
      daemon = await listen();
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
      await daemon.close();
      await terminal[Symbol.asyncDispose]();
      await cli[Symbol.asyncDispose]();
    },
  };
}

test(
  'a key acts on the selected session, says why it failed and leads back',
  { skip },
  async () => {
    await using watch = await watching(['s0', null]);

    await watch.shows(/> +s0[^]*Task 1[^]*q quit/);
    watch.type(DOWN);
    await watch.shows(/Task 0[^]*> [^\n]*Task 1[^]*q quit/);
    watch.type('j');
    await watch.shows(/Task 0[^]*> [^\n]*Task 1[^]*q quit/);
    watch.type('s');
    await watch.shows(/It has no open alert[^]*Wait for one[^]*Press a key to continue/);
    watch.type('x');
    await watch.shows(/q quit/);
    watch.type('q');

    assert.deepEqual(await watch.ended, [0, null]);
    // It has no id, so that only its key names it.
    assert.deepEqual(
      watch.snoozed.map((body) => JSON.stringify(body).includes('claude:k1')),
      [true],
    );
  },
);

test('the first session is selected when the selected one is gone', { skip }, async () => {
  await using watch = await watching(['s0', 's1']);

  await watch.shows(/> +s0[^]*q quit/);
  watch.type('j');
  await watch.shows(/> +s1[^]*q quit/);
  watch.sessions.pop();
  await watch.shows(/> +s0[^]*q quit/);
  watch.type('\u0004');

  assert.deepEqual(await watch.ended, [0, null]);
});

test('it waits for a daemon that went away, and then selects as before', { skip }, async () => {
  await using watch = await watching(['s0', 's1']);

  await watch.shows(/> +s0[^]*q quit/);
  watch.type('j');
  await watch.shows(/> +s1[^]*q quit/);
  await watch.stop();
  await watch.shows(/The daemon does not answer: waiting/);
  watch.type('k');
  // The first may have been on its way before the key.
  await watch.shows(/The daemon does not answer: waiting/);
  await watch.shows(/The daemon does not answer: waiting/);
  await watch.startAgain();
  await watch.shows(/> +s1[^]*q quit/);
  watch.type('\u0003');

  assert.deepEqual(await watch.ended, [0, null]);
});
