import assert from 'node:assert/strict';
import { chown } from 'node:fs/promises';
import { test } from 'node:test';
import { openPseudoTerminal } from '../../support/pseudo-terminal.ts';
import { sampleNotification } from '../../support/sample.ts';
import { needs } from '../../support/system-part.ts';
import { send } from '../conformance.ts';
import { createDesktop } from './bus-stage.ts';

const skip = needs('script', 'stty');

/** A channel on a machine where nothing but the terminal is left. */
function createOnBareMachine(options: Record<string, unknown> = {}) {
  return createDesktop(options, { env: { PATH: '/nonexistent' } });
}

for (const [sequence, expected] of [
  ['osc9', '\u001b]9;a；b: c； · d\u0007\u0007'],
  ['osc777', '\u001b]777;notify;a；b;c； · d\u0007\u0007'],
  [
    'osc99',
    '\u001b]99;i=0:d=0:e=1;YTti\u001b\\\u001b]99;i=0:d=1:e=1:p=body;YzsgwrcgZA==\u001b\\\u0007',
  ],
  ['bell', '\u0007'],
] as const) {
  test(
    `desktop by terminal: writes ${sequence}, from which no text can break out (T7)`,
    { skip, timeout: 20_000 },
    async () => {
      await using terminal = await openPseudoTerminal();
      const channel = await createOnBareMachine({ terminal: sequence });

      const outcome = await send(
        { channel },
        sampleNotification({
          title: 'a;b',
          body: 'c;\n d\u001b]52;c;aWQ=\u0007',
          facts: { tty: terminal.path },
        }),
      );

      assert.deepEqual(outcome, { type: 'delivered' });
      const taken = (await terminal.taken()).replaceAll(/i=\w+/g, 'i=0');
      assert.equal(taken, expected);
    },
  );
}

test(
  'desktop by terminal: rings no bell for a finished turn',
  { skip, timeout: 20_000 },
  async () => {
    await using terminal = await openPseudoTerminal();
    const channel = await createOnBareMachine({ terminal: 'osc9' });

    await send(
      { channel },
      sampleNotification({
        kind: 'turn.done',
        severity: 'info',
        title: 'a',
        body: 'b',
        facts: { tty: terminal.path },
      }),
    );
    await send({ channel }, sampleNotification({ title: 'end', facts: { tty: terminal.path } }));

    assert.ok((await terminal.shown(']9;end')).startsWith('\u001b]9;a: b\u0007\u001b]9;end'));
  },
);

test(
  'desktop by terminal: writes to nothing that is not a terminal of ours',
  { skip, timeout: 20_000 },
  async () => {
    const channel = await createOnBareMachine();

    for (const tty of [
      null,
      '/dev/null',
      '/etc/passwd',
      '/dev/pts/../../etc/passwd',
      '/dev/pts/99999',
      '-',
    ]) {
      const outcome = await send(
        { channel },
        sampleNotification({ facts: tty === null ? {} : { tty } }),
      );

      assert.equal(outcome.type, 'retry', String(tty));
      assert.match(outcome.reason, /the session's terminal .*\(terminal\)/);
    }
  },
);

test(
  "desktop by terminal: does not write to another user's terminal",
  { skip: skip || (process.geteuid?.() !== 0 && 'needs root to give a terminal away') },
  async () => {
    await using terminal = await openPseudoTerminal();
    await chown(terminal.path, 65_534, 65_534);
    const channel = await createOnBareMachine();

    const outcome = await send({ channel }, sampleNotification({ facts: { tty: terminal.path } }));

    assert.equal(outcome.type, 'retry');
    assert.match(outcome.reason, /belongs to another user/);
  },
);

test(
  'desktop by terminal: a session without a known terminal does not spoil the backend for the next one',
  { skip, timeout: 20_000 },
  async () => {
    await using terminal = await openPseudoTerminal();
    const channel = await createOnBareMachine();

    const unknown = await send({ channel }, sampleNotification({ facts: {} }));
    const known = await send({ channel }, sampleNotification({ facts: { tty: terminal.path } }));

    assert.deepEqual([unknown.type, known.type], ['retry', 'delivered']);
  },
);
