import assert from 'node:assert/strict';
import { chown, readdir, readFile, readlink } from 'node:fs/promises';
import { describe, test } from 'node:test';
import terminal from '../../src/channels/terminal.ts';
import type { Channel } from '../../src/core/channel.ts';
import type { Notification } from '../../src/core/notification.ts';
import { until } from '../support/hookbell-home.ts';
import type { PseudoTerminal } from '../support/pseudo-terminal.ts';
import { channelDependencies } from '../support/channel-dependencies.ts';
import { openPseudoTerminal } from '../support/pseudo-terminal.ts';
import { sampleNotification } from '../support/sample.ts';
import { needs } from '../support/system-part.ts';
import type { Arrival } from './conformance.ts';
import { channelConformance, send } from './conformance.ts';

const skip = needs('script', 'stty');
const ESC = '\u001b';
const BELL = '\u0007';

function create(options: Record<string, unknown> = {}): Promise<Channel> {
  return terminal.create(terminal.options.parse(options), channelDependencies());
}

function seenIn(facts: Notification['facts'], fields: Partial<Notification> = {}): Notification {
  return sampleNotification({ title: 'shop', body: 'asks', facts, ...fields });
}

/** How a message of each sequence begins, goes on and ends, and how its texts are read. */
const readers: Readonly<Record<string, { readonly message: RegExp; readonly text: Reader }>> = {
  osc9: { message: new RegExp(`${ESC}]9;([^${BELL}]*)${BELL}`, 'g'), text: plain },
  osc777: {
    message: new RegExp(`${ESC}]777;notify;([^;${BELL}]*);([^;${BELL}]*)${BELL}`, 'g'),
    text: plain,
  },
  osc99: {
    message: new RegExp(
      String.raw`${ESC}]99;i=\w+:d=0:e=1;([\w+/=]*)${ESC}\\${ESC}]99;i=\w+:d=1:e=1:p=body;([\w+/=]*)${ESC}\\`,
      'g',
    ),
    text: decoded,
  },
};
type Reader = (text: string) => string;

function plain(text: string): string {
  return text.replaceAll('；', ';');
}

function decoded(text: string): string {
  return Buffer.from(text, 'base64').toString();
}

function arrivalsIn(bytes: string, sequence: string): readonly Arrival[] {
  const { message, text } = readers[sequence] ?? { message: /$^/g, text: plain };
  const shape = bytes.replaceAll(message, '<message>');
  return [...bytes.matchAll(message)].map(([, ...texts]) => ({
    shown: texts.map(text).join('\n'),
    shape,
  }));
}

for (const sequence of ['osc9', 'osc777', 'osc99']) {
  describe(`terminal by ${sequence}`, { skip }, () => {
    channelConformance(terminal, async () => {
      const pseudo = await openPseudoTerminal();
      const channel = await create({ sequence });
      let isOpen = true;
      async function leave(): Promise<void> {
        if (isOpen) await pseudo[Symbol.asyncDispose]();
        isOpen = false;
      }
      return {
        channel: {
          ...channel,
          send: (notification, context) =>
            channel.send({ ...notification, facts: { tty: pseudo.path } }, context),
        },
        arrivals: async () => arrivalsIn(await pseudo.taken(), sequence),
        break: leave,
        [Symbol.asyncDispose]: leave,
      };
    });
  });
}

const terminals: readonly (readonly [
  name: string,
  facts: Notification['facts'],
  begins: string,
])[] = [
  ['kitty', { term: 'xterm-kitty' }, '\u001b]99;'],
  ['iTerm2', { term_program: 'iTerm.app', term: 'xterm-256color' }, '\u001b]9;'],
  ['iTerm2 over ssh', { lc_terminal: 'iTerm2', term: 'xterm-256color' }, '\u001b]9;'],
  ['WezTerm', { term_program: 'WezTerm', term: 'xterm-256color' }, '\u001b]777;'],
  ['Ghostty', { term_program: 'ghostty', term: 'xterm-ghostty' }, '\u001b]777;'],
  ['foot', { term: 'foot' }, '\u001b]777;'],
  ['an unknown one', { term: 'xterm-256color' }, '\u001b]777;'],
  ['Terminal.app', { term_program: 'Apple_Terminal', term: 'xterm-256color' }, '\u0007'],
  ['Alacritty', { term: 'alacritty' }, '\u0007'],
  ['VS Code', { term_program: 'vscode', term: 'xterm-256color' }, '\u0007'],
  ['the Linux console', { term: 'linux' }, '\u0007'],
  ['GNU Screen', { term: 'screen.xterm-256color' }, '\u0007'],
];
describe('terminal by the name of the terminal', { skip, timeout: 20_000 }, () => {
  for (const [name, facts, begins] of terminals) {
    test(`terminal: asks ${name} in the way it understands`, async () => {
      await using pseudo = await openPseudoTerminal();
      const channel = await create();

      await send({ channel }, seenIn({ ...facts, tty: pseudo.path }));

      const taken = await pseudo.taken();
      assert.ok(taken.startsWith(begins), JSON.stringify(taken));
    });
  }
});

describe('terminal: the bell', { skip, timeout: 20_000 }, () => {
  const rows: readonly (readonly [
    string,
    Record<string, unknown>,
    Partial<Notification>,
    string,
  ])[] = [
    ['rings as well when a person has to act', {}, {}, '\u0007\u0007'],
    ['does not where it is switched off', { bell: false }, {}, '\u0007'],
    ['does not for what is good to know', {}, { severity: 'info' }, '\u0007'],
    ['does not for who looks at the session', {}, { quietly: true }, '\u0007'],
  ];
  for (const [name, options, fields, end] of rows) {
    test(`terminal: the bell ${name}`, async () => {
      await using pseudo = await openPseudoTerminal();
      const channel = await create({ sequence: 'osc9', ...options });

      await send({ channel }, seenIn({ tty: pseudo.path }, fields));

      assert.equal(await pseudo.taken(), `\u001b]9;shop: asks${end}`);
    });
  }

  test('terminal: the bell alone rings even where it is switched off as an addition', async () => {
    await using pseudo = await openPseudoTerminal();
    const channel = await create({ sequence: 'bell', bell: false });

    const outcome = await send({ channel }, seenIn({ tty: pseudo.path }));

    assert.deepEqual(outcome, { type: 'delivered', note: 'Only the bell rang' });
    assert.equal(await pseudo.taken(), '\u0007');
  });

  test('terminal: the bell alone does not ring for a person who looks at the session, and the outcome says so', async () => {
    await using pseudo = await openPseudoTerminal();
    const channel = await create({ sequence: 'bell' });

    const outcome = await send({ channel }, seenIn({ tty: pseudo.path }, { quietly: true }));

    assert.match(outcome.type === 'delivered' ? (outcome.note ?? '') : '', /only the bell/);
    assert.equal(await pseudo.taken(), '');
  });
});

/** The process that runs in it, once it does. */
async function processOn(pseudo: PseudoTerminal): Promise<number> {
  let found: number | null = null;
  await until(async () => {
    found = await lookFor(pseudo);
    return found !== null;
  });
  return found ?? assert.fail('Nothing runs on the terminal');
}

async function lookFor({ path }: PseudoTerminal): Promise<number | null> {
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const command = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '');
    const output = await readlink(`/proc/${pid}/fd/1`).catch(() => '');
    if (command.trim() === 'sleep' && output === path) return Number(pid);
  }
  return null;
}

describe("terminal: the agent's own", { skip, timeout: 20_000 }, () => {
  test("terminal: is found by the agent's process, whatever ssh said once", async () => {
    await using pseudo = await openPseudoTerminal();
    const channel = await create({ sequence: 'osc9', bell: false });
    const ppid = String(await processOn(pseudo));

    const outcome = await send(
      { channel },
      seenIn({ ppid, tty: '/dev/pts/99999' }, { agent: 'droid', at: Date.now() }),
    );

    assert.deepEqual(outcome, { type: 'delivered' });
    assert.equal(await pseudo.taken(), '\u001b]9;shop: asks\u0007');
  });

  test('terminal: a process that began after the event is not taken for the agent', async () => {
    await using pseudo = await openPseudoTerminal();
    const ppid = String(await processOn(pseudo));
    const channel = await terminal.create(
      terminal.options.parse({}),
      channelDependencies({ now: Date.now }),
    );

    const outcome = await send(
      { channel },
      seenIn({ ppid }, { agent: 'droid', at: 1_700_000_000_000 }),
    );

    assert.equal(outcome.type, 'failed');
    assert.equal(await pseudo.taken(), '');
  });

  test('terminal: writes to nothing that is not a terminal, and says why', async () => {
    const channel = await create();

    for (const [tty, why] of [
      [undefined, /is unknown/],
      ['/dev/null', /has an invalid path/],
      ['/etc/passwd', /has an invalid path/],
      ['/dev/pts/../../etc/passwd', /has an invalid path/],
      ['/dev/pts/ptmx', /has an invalid path/],
      ['/dev/tty', /has an invalid path/],
      ['/dev/pts/99999', /is gone/],
      ['--help', /has an invalid path/],
    ] as const) {
      const outcome = await send({ channel }, seenIn(tty === undefined ? {} : { tty }));

      assert.equal(outcome.type, 'failed', String(tty));
      assert.match(outcome.reason, why);
    }
  });

  test(
    "terminal: does not write to another user's",
    { skip: process.geteuid?.() !== 0 && 'needs root to give a terminal away' },
    async () => {
      await using pseudo = await openPseudoTerminal();
      await chown(pseudo.path, 65_534, 65_534);
      const channel = await create();

      const outcome = await send({ channel }, seenIn({ tty: pseudo.path }));

      assert.equal(outcome.type, 'failed');
      assert.match(outcome.reason, /belongs to another user/);
    },
  );

  test('terminal: one that is stopped by Ctrl-S neither holds the daemon nor gets half a message', async () => {
    await using pseudo = await openPseudoTerminal();
    const channel = await create({ sequence: 'osc9', bell: false });
    const notification = seenIn({ tty: pseudo.path });
    pseudo.type('\u0013');

    let outcome = await send({ channel }, notification);
    // Until the terminal has read the key, it takes what it gets.
    while (outcome.type === 'delivered') outcome = await send({ channel }, notification);
    pseudo.type('\u0011');
    const stopped = outcome;
    while (outcome.type !== 'delivered') outcome = await send({ channel }, notification);

    assert.equal(stopped.type, 'retry');
    const message = `${ESC}]9;shop: asks${BELL}`;
    assert.equal((await pseudo.taken()).replaceAll(message, ''), '');
  });
});

test('terminal: cannot be had on Windows, which has none to write to', async () => {
  const dependencies = channelDependencies({ name: 'here', platform: 'win32' });

  await assert.rejects(
    terminal.create(terminal.options.parse({}), dependencies),
    /Cannot use channel "here": Windows has no terminals/,
  );
});
