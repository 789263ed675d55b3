import assert from 'node:assert/strict';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';

import { Language, type Node, Parser } from 'web-tree-sitter';

import { idleTime } from '../../src/attention/desktop-idle.ts';
import { osascriptStep } from '../../src/attention/focus/step.ts';
import { isLinked, linkCommand } from '../../src/setup/installed-command.ts';
import { serviceManager } from '../../src/setup/service.ts';
import { openRecordedStage } from '../channels/desktop/recorded-stage.ts';
import { send } from '../channels/conformance.ts';
import { projectRoot } from '../support/hookbell-home.ts';
import { sampleNotification } from '../support/sample.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** What the documentation of a tool that this machine does not have says about its words. */
interface Documented {
  readonly source: string;
  /** Options by subcommand; "" without one. A value follows where it is `true`. */
  readonly takes: Readonly<Record<string, Readonly<Record<string, boolean>>>>;
  /** Number of words that are no options, by subcommand. */
  readonly operands: Readonly<Record<string, readonly [least: number, most: number]>>;
}

const tools: Readonly<Record<string, Documented>> = {
  launchctl: {
    source:
      'launchctl(1) of macOS: bootstrap DOMAIN PATH, bootout and print TARGET, kickstart [-kp] SERVICE',
    takes: { bootstrap: {}, bootout: {}, print: {}, kickstart: { '-k': false, '-p': false } },
    operands: { bootstrap: [2, 9], bootout: [1, 9], print: [1, 1], kickstart: [1, 1] },
  },
  schtasks: {
    source: 'https://learn.microsoft.com/windows-server/administration/windows-commands/schtasks',
    takes: {
      '/Create': { '/TN': true, '/XML': true, '/F': false },
      '/Query': { '/TN': true },
      '/Run': { '/TN': true },
      '/End': { '/TN': true },
      '/Delete': { '/TN': true, '/F': false },
    },
    operands: {},
  },
  osascript: {
    source:
      'osascript(1) of macOS: [-l language] [-i] [-s flags] [-e statement | programfile] [argument ...]',
    takes: { '': { '-l': true, '-e': true, '-i': false, '-s': true, '--': false } },
    operands: { '': [0, 99] },
  },
  ioreg: {
    source: 'ioreg(8) of macOS: [-r] [-c class] [-n name] [-d depth] [-l] [-w width]',
    takes: { '': { '-r': false, '-c': true, '-n': true, '-d': true, '-l': false, '-w': true } },
    operands: { '': [0, 0] },
  },
  powershell: {
    source:
      'https://learn.microsoft.com/powershell/module/microsoft.powershell.core/about/about_powershell_exe',
    takes: {
      '': {
        '-NoLogo': false,
        '-NoProfile': false,
        '-NonInteractive': false,
        '-EncodedCommand': true,
      },
    },
    operands: { '': [0, 0] },
  },
};

/** Fails for a word that the documentation of the tool does not have in this place. */
function assertDocumented([program = '', ...words]: readonly string[]): void {
  const tool = tools[program];
  assert.ok(tool, program);
  const named = words[0] !== undefined && words[0] in tool.takes ? words[0] : '';
  const options = tool.takes[named];
  assert.ok(options, `${program} ${words.join(' ')}: no such subcommand in ${tool.source}`);
  const rest = named === '' ? words : words.slice(1);
  let operands = 0;
  for (let index = 0; index < rest.length; index += 1) {
    const word = rest[index] ?? '';
    if (word === '--') {
      operands += rest.length - index - 1;
      break;
    }
    const takesValue = options[word];
    const isOption = word.startsWith('-') || /^\/[A-Z]+$/.test(word);
    assert.ok(!isOption || takesValue !== undefined, `${program} ${word}: not in ${tool.source}`);
    if (takesValue === true) {
      assert.notEqual(rest[index + 1], undefined, `${program} ${word} lacks its value`);
      index += 1;
    } else if (takesValue === undefined) operands += 1;
  }
  const [least, most] = tool.operands[named] ?? [0, 0];
  assert.ok(operands >= least && operands <= most, `${program} ${words.join(' ')}`);
}

const facts = {
  home: '/Users/dev',
  user: 'dev',
  uid: 501,
  configHome: String.raw`C:\Users\dev\AppData\Roaming`,
  spool: '/s',
  node: '/opt/node',
  main: '/main.js',
  state: '/state',
  config: '/config.yaml',
  wake: false,
};

describe('programs of macOS and Windows are called by words that their documentation has', () => {
  test('the check refuses an option, a subcommand, a missing value and a word too many', () => {
    for (const wrong of [
      ['launchctl', 'kickstart', '-x', 'gui/501/x'],
      ['launchctl', 'load', '/x.plist'],
      ['schtasks', '/Create', '/TN'],
      ['schtasks', '/Query', 'hookbell'],
      ['ioreg', '-r', '-c'],
    ]) {
      assert.throws(() => assertDocumented(wrong), assert.AssertionError, wrong.join(' '));
    }
  });

  for (const platform of ['darwin', 'win32'] as const) {
    test(`the service manager on ${platform}`, () => {
      const manager = serviceManager({ ...facts, platform });
      assert.ok(manager);
      const { enable, disable, restart, probe, status } = manager;

      const all = [...enable, ...disable, ...restart, probe, status];

      for (const argv of all) assertDocumented(argv);
      assert.ok(all.length >= 5);
    });
  }

  test('AppleScript that brings a terminal forward, and the idle time of macOS', async () => {
    const { program, arguments: words } = osascriptStep('on run argv\nend run', '/dev/ttys001');
    const asked: (readonly string[])[] = [];

    await idleTime({
      platform: 'darwin',
      ask: async (name, arguments_) => {
        asked.push([name, ...arguments_]);
        return null;
      },
      askBus: async () => null,
    }).look();

    assertDocumented([program, ...words]);
    for (const argv of asked) assertDocumented(argv);
    assert.equal(asked.length, 1);
  });
});

describe('PowerShell', () => {
  test('the scripts of the toast and of the completion are valid by its grammar', async () => {
    await Parser.init();
    const grammar = new URL(
      import.meta.resolve('tree-sitter-powershell/tree-sitter-powershell.wasm'),
    );
    const parser = new Parser();
    parser.setLanguage(await Language.load(new Uint8Array(await readFile(grammar))));
    const faults = (script: string): readonly string[] => {
      const root = parser.parse(script)?.rootNode;
      return root === undefined ? ['not parsed'] : faultsBelow(root);
    };
    const path = 'System32/WindowsPowerShell/v1.0/powershell.exe';
    await using stage = await openRecordedStage({
      rung: 'powershell',
      platform: 'win32',
      program: path,
      readsInput: true,
      arrivalOf: ({ input }) => ({ shown: input, shape: '' }),
    });
    await send(stage, sampleNotification());
    const words = stage.programs.runs(path)[0]?.arguments ?? [];
    const toast = Buffer.from(words.at(-1) ?? '', 'base64').toString('utf16le');
    const completion = await readFile(join(projectRoot, 'config/completion/hookbell.ps1'), 'utf8');

    assertDocumented(['powershell', ...words]);
    assert.deepEqual(faults('if ($a { "x" }'), ['ERROR at 1: if ($a { "x" }']);
    assert.deepEqual(faults(completion), []);
    // The grammar lacks the names of types of the Windows Runtime, [TYPE, ASSEMBLY, ContentType = WindowsRuntime].
    const plain = toast.replaceAll(/, Windows\.[\w.]+, ContentType = WindowsRuntime\]/g, ']');
    assert.equal(toast.length - plain.length > 0, true);
    assert.deepEqual(faults(plain), []);
  });
});

function faultsBelow(node: Node): readonly string[] {
  if (!node.hasError) return [];
  if (node.isError || node.isMissing) {
    return [`${node.type} at ${node.startPosition.row + 1}: ${node.text.slice(0, 40)}`];
  }
  return node.children.flatMap((child) => (child === null ? [] : faultsBelow(child)));
}

describe('the command on Windows', () => {
  test('is a batch file with this Node and the installed program, which is known again and takes every path', async () => {
    await using place = await temporaryDirectory();
    const command = join(place.path, 'bin', 'hookbell.cmd');
    await mkdir(dirname(command));
    const program = String.raw`C:\Users\A & B\100%\Programs\hookbell`;

    assert.equal(await isLinked({ command, program }, 'win32'), false);
    await linkCommand({ command, program }, 'win32');

    const cli = String.raw`C:\Users\A & B\100%%\Programs\hookbell\dist\program\cli.js`;
    assert.equal(
      await readFile(command, 'utf8'),
      `@echo off\r\n"${process.execPath}" "${cli}" %*\r\n`,
    );
    assert.equal(await isLinked({ command, program }, 'win32'), true);
    assert.equal(await isLinked({ command, program: String.raw`D:\other` }, 'win32'), false);
  });
});
