import assert from 'node:assert/strict';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';

import { Language, type Node, Parser } from 'web-tree-sitter';

import { idleTime, screenLock } from '../../src/attention/desktop-idle.ts';
import { tabs } from '../../src/attention/focus/tabs.ts';
import { windowsDesktop, windowsFocus } from '../../src/attention/windows-desktop.ts';
import { windows } from '../../src/attention/focus/windows.ts';
import speech from '../../src/channels/speech.ts';
import { playSound } from '../../src/channels/support/play-sound.ts';
import type { HookFacts } from '../../src/core/facts.ts';
import { openInBrowser } from '../../src/reply/open-in-browser.ts';
import { isLinked, linkCommand } from '../../src/setup/installed-command.ts';
import { serviceManager } from '../../src/setup/service.ts';
import { type RecordedBackend, openRecordedStage } from '../channels/desktop/recorded-stage.ts';
import { refOf } from '../channels/desktop/ref-of.ts';
import { send } from '../channels/conformance.ts';
import { assertDocumented } from '../support/assert-documented.ts';
import { channelDependencies, sendContext } from '../support/channel-dependencies.ts';
import { documentedTools } from '../support/documented-tools.ts';
import { projectRoot } from '../support/hookbell-home.ts';
import { createRecorder } from '../support/recorder.ts';
import { sampleNotification } from '../support/sample.ts';
import { linkCommandLine, toastLinkSteps } from '../../src/setup/services/toast-links.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

type Argv = readonly string[];

const facts = {
  home: '/Users/dev',
  user: 'dev',
  uid: 501,
  configHome: String.raw`C:\Users\dev\AppData\Roaming`,
  spool: '/s',
  node: '/opt/node',
  main: '/main.js',
  state: '/state',
  lastWords: '/state/last-words',
  config: '/config.yaml',
  wake: false,
};

const recordedBackends: readonly RecordedBackend[] = [
  {
    name: 'alerter',
    platform: 'darwin',
    program: 'alerter',
    probe: 'case "$1" in --help) echo "--group"; exit 0;; esac',
    stays: true,
    arrivalOf: ({ arguments: words }) => ({ shown: words.join(' '), shape: '' }),
  },
  {
    name: 'terminal-notifier',
    platform: 'darwin',
    program: 'terminal-notifier',
    probe: 'case "$1" in -version) echo "terminal-notifier 3.0.0."; exit 0;; esac',
    arrivalOf: ({ arguments: words }) => ({ shown: words.join(' '), shape: '' }),
  },
  {
    name: 'osascript',
    platform: 'darwin',
    program: 'osascript',
    readsInput: true,
    arrivalOf: ({ input }) => ({ shown: input, shape: '' }),
  },
  {
    name: 'powershell',
    platform: 'win32',
    program: 'System32/WindowsPowerShell/v1.0/powershell.exe',
    readsInput: true,
    arrivalOf: ({ input }) => ({ shown: input, shape: '' }),
  },
];

/** What a desktop channel calls its program with, to show a notification and to remove it again. */
async function notifierCalls(backend: RecordedBackend): Promise<readonly Argv[]> {
  await using stage = await openRecordedStage(backend);
  const replyLink = { url: 'http://127.0.0.1:7447/reply/t', machine: 'mac', forMs: 1_000 };
  for (const fields of [{}, { replyLink }]) {
    const shown = await send(stage, sampleNotification(fields));
    await stage.channel.withdraw?.(refOf(shown), sendContext());
  }
  const name = backend.program.split('/').at(-1) ?? '';
  return stage.programs.runs(backend.program).map(({ arguments: words }) => [name, ...words]);
}

/** The service managers. */
function serviceCalls(): readonly Argv[] {
  return (['darwin', 'win32'] as const).flatMap((platform) => {
    const manager = serviceManager({ ...facts, platform });
    assert.ok(manager);
    const { enable, disable, start, prepare, stop, probe, status } = manager;
    const asked = [start.known, ...start.start];
    return [...enable, ...disable, ...asked, ...prepare, ...stop, probe, status];
  });
}

/** What the task of Windows runs: a console host, and in it a shell. */
function taskCalls(): readonly Argv[] {
  const [task] = serviceManager({ ...facts, platform: 'win32' })?.files ?? [];
  const [, program = '', text = ''] =
    /<Command>(.*)<\/Command>\s*<Arguments>(.*)<\/Arguments>/.exec(task?.content ?? '') ?? [];
  const line = text.replaceAll('&amp;', '&').replaceAll('&lt;', '<').replaceAll('&gt;', '>');
  const [, host = '', shell = '', options = '', script = ''] =
    /^(--\w+) (cmd\.exe) ((?:\/\w )*)\/c (".*")$/.exec(line) ?? [];
  return [
    [program, host, shell],
    [shell, ...options.split(' ').filter((word) => word !== ''), '/c', script],
  ];
}

/** The ways to bring a terminal or an editor of macOS forward. */
function focusCalls(): readonly Argv[] {
  const fields = {
    processes: [42],
    device: '/dev/ttys001',
    directory: '/Users/dev/shop',
    editorFolder: '/Users/dev/shop',
  };
  const id = '0A1B2C3D-0000-4000-8000-0A1B2C3D4E5F';
  const places: readonly HookFacts[] = [
    { cf_bundle_identifier: 'com.mitchellh.ghostty' },
    { cf_bundle_identifier: 'com.apple.Terminal', term_program: 'Apple_Terminal' },
    {
      cf_bundle_identifier: 'com.googlecode.iterm2',
      term_program: 'iTerm.app',
      iterm_session_id: `w0t1p0:${id}`,
    },
    { cf_bundle_identifier: 'com.microsoft.VSCode', term_program: 'vscode' },
  ];
  return places
    .flatMap((environment) =>
      [...tabs, ...windows].flatMap((focus) => focus({ facts: environment, ...fields })),
    )
    .map(({ program, arguments: words }) => [program, ...words])
    .filter(([program = '']) => program in documentedTools);
}

/** Whether anyone is at the Mac. */
async function presenceCalls(): Promise<readonly Argv[]> {
  const asked: Argv[] = [];
  const sources = {
    platform: 'darwin',
    ask: async (name: string, words: readonly string[]) => {
      asked.push([name, ...words]);
      return null;
    },
    askBus: async () => null,
  } as const;
  await idleTime(sources).look();
  await screenLock(sources).look();
  return asked;
}

/** Whether a person is at a Windows computer, and its windows. */
async function windowsCalls(): Promise<readonly Argv[]> {
  const asked: Argv[] = [];
  const ask = async (_program: string, words: readonly string[]) => {
    asked.push(['powershell.exe', ...words]);
    return null;
  };
  await windowsDesktop(ask, {}, () => 0)();
  return [...asked, ['powershell.exe', ...windowsFocus(42, 1_700_000_000_000, {}).arguments]];
}

/** Links of toasts. */
function linkCalls(): readonly Argv[] {
  const program = String.raw`C:\Users\dev\AppData\Local\Programs\hookbell`;
  const line = linkCommandLine({ program }, {}, String.raw`C:\Program Files\nodejs\node.exe`);
  assert.ok(line);
  const { enable, disable, known } = toastLinkSteps(line);
  const [, , ...words] = line.split(/ (?=")| (?=--headless)/);
  return [...enable, ...disable, known, ['conhost.exe', '--headless', ...words]];
}

/** The page in a browser. */
async function browserCalls(): Promise<readonly Argv[]> {
  await using recorder = await createRecorder();
  await recorder.add('open', { script: 'exit 0' });
  const env = { PATH: recorder.directory, HOME: '/Users/dev' };
  assert.equal(await openInBrowser('/Users/dev/page.html', { env, platform: 'darwin' }), null);
  return recorder.runs('open').map(({ arguments: words }) => ['open', ...words]);
}

/** A voice and a sound of macOS. */
async function aloudCalls(): Promise<readonly Argv[]> {
  await using recorder = await createRecorder();
  const env = { PATH: recorder.directory };
  for (const name of ['say', 'afplay'])
    await recorder.add(name, { script: 'exit 0', readsInput: true });
  const voice = await speech.create(
    speech.options.parse({ voice: 'Samantha' }),
    channelDependencies({ env, platform: 'darwin' }),
  );
  await send({ channel: voice }, sampleNotification({}));
  await voice.close();
  const machine = { env, platform: 'darwin', baseDir: '/' } as const;
  assert.equal(await playSound('Glass', machine, AbortSignal.timeout(20_000)), null);
  return ['say', 'afplay'].flatMap((name) =>
    recorder.runs(name).map(({ arguments: words }): Argv => [name, ...words]),
  );
}

/** A call with one word spelt wrongly: an option that no document has, or a subcommand. */
function misspelt(argv: Argv): readonly Argv[] {
  const [program = '', ...words] = argv;
  const tool = documentedTools[program];
  const known = [
    ...Object.keys(tool?.commands ?? {}),
    ...Object.values(tool?.commands ?? {}).flatMap(({ options }) => Object.keys(options)),
  ].filter((name) => name !== '');
  return words.flatMap((word, index) => {
    const name = /^--\w/.test(word) ? word.replace(/=.*/s, '') : word;
    if (!known.includes(name)) return [];
    // Getopt would take "-kx" for "-k" and "-x".
    const wrong = /^-\w$/.test(name) ? '-q' : `${name}x`;
    return [
      [
        program,
        ...words.with(
          index,
          word.replace(name, () => wrong),
        ),
      ],
    ];
  });
}

describe('programs of macOS and Windows are called by words that their documentation has', () => {
  const calls = {
    'the service managers': serviceCalls,
    'the task of Windows': taskCalls,
    'a terminal or editor of macOS': focusCalls,
    'the presence of a person at a Mac': presenceCalls,
    'the presence of a person at Windows, and windows': windowsCalls,
    'links of toasts': linkCalls,
    'a page in a browser of macOS': browserCalls,
    'a voice and a sound of macOS': aloudCalls,
    ...Object.fromEntries(
      recordedBackends.map((backend) => [
        `notifications by ${backend.name}`,
        () => notifierCalls(backend),
      ]),
    ),
  };
  const seen = new Set<string>();
  for (const [what, callsOf] of Object.entries(calls)) {
    test(`${what}: each word is documented, and a misspelt one is noticed`, async () => {
      const all = await callsOf();

      assert.notEqual(all.length, 0);
      for (const argv of all) {
        assertDocumented(argv);
        seen.add(argv[0] ?? '');
        for (const wrong of misspelt(argv)) {
          assert.throws(() => assertDocumented(wrong), assert.AssertionError, wrong.join(' '));
        }
      }
    });
  }

  test('every documented tool is called by one of these', () => {
    assert.deepEqual([...seen].toSorted(), Object.keys(documentedTools).toSorted());
  });

  test('no other source file calls one of them', async () => {
    const names = Object.keys(documentedTools)
      // Also a state of alerts and channels.
      .filter((name) => name !== 'open')
      .map((name) => name.replace('.', String.raw`\.`));
    const call = new RegExp(
      String.raw`(?:program: |find\(|ask\(|\[\[?)'(?:${names.join('|')})'|windowsProgram\('|'(?:conhost|cmd)\.exe'|<Command>|(?:program: |find\(|ask\()'open'|'open' : 'xdg-open'`,
    );
    const files = await readdir(join(projectRoot, 'src'), { recursive: true });
    const callers: string[] = [];
    for (const file of files.filter((name) => name.endsWith('.ts'))) {
      const lines = (await readFile(join(projectRoot, 'src', file), 'utf8')).split('\n');
      if (lines.some((line) => call.test(line))) callers.push(file);
    }

    assert.deepEqual(callers.toSorted(), [
      'attention/desktop-idle.ts',
      'attention/focus/step.ts',
      'attention/windows-desktop.ts',
      'channels/desktop/alerter.ts',
      'channels/desktop/fallback-chain.ts',
      'channels/desktop/powershell.ts',
      'channels/desktop/terminal-notifier.ts',
      'channels/speech.ts',
      'channels/support/play-sound.ts',
      'reply/open-in-browser.ts',
      'setup/service.ts',
      'setup/services/task-scheduler.ts',
      'setup/services/toast-links.ts',
    ]);
  });

  test('the check refuses what is in the wrong form, missing, or too much', () => {
    for (const wrong of [
      ['launchctl', 'kickstart', '-k', 'gui/501'],
      ['launchctl', 'load', '/x.plist'],
      ['launchctl', 'bootstrap', 'gui/dev', '/x.plist'],
      ['launchctl', 'print', 'gui/501', 'gui/501'],
      ['schtasks', '/Create', '/TN'],
      ['schtasks', '/Create', '/TN', 'a:b'],
      ['schtasks', '/Query', 'hookbell'],
      ['ioreg', '-r', '-c'],
      ['ioreg', '-d', 'deep'],
      ['open', '-b', 'Terminal'],
      ['alerter', '--title', 'a'],
      ['alerter', '--json=yes'],
      ['terminal-notifier', '--title', 'a'],
      ['powershell.exe', '-EncodedCommand', 'Get-Date'],
    ]) {
      assert.throws(() => assertDocumented(wrong), assert.AssertionError, wrong.join(' '));
    }
  });
});

describe('PowerShell', () => {
  test('the scripts of toasts, presence, windows and the completion are valid by its grammar', async (t) => {
    // The optimizing compiler would work on the grammar for a quarter of a minute after the test.
    setFlagsFromString('--liftoff-only');
    t.after(() => setFlagsFromString('--no-liftoff-only'));
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
    const backend = recordedBackends.find(({ name }) => name === 'powershell');
    const [words = []] = await notifierCalls(backend ?? assert.fail());
    const toast = scriptIn(words);
    const others = (await windowsCalls()).map((call) => scriptIn(call));
    const completion = await readFile(join(projectRoot, 'config/completion/hookbell.ps1'), 'utf8');

    assert.deepEqual(faults('if ($a { "x" }'), ['ERROR at 1: if ($a { "x" }']);
    for (const script of [completion, ...others]) assert.deepEqual(faults(script), []);
    // The grammar lacks the names of types of the Windows Runtime, [TYPE, ASSEMBLY, ContentType = WindowsRuntime].
    const plain = toast.replaceAll(/, Windows\.[\w.]+, ContentType = WindowsRuntime\]/g, ']');
    assert.equal(toast.length - plain.length > 0, true);
    assert.deepEqual(faults(plain), []);
  });
});

function scriptIn(call: Argv): string {
  return Buffer.from(call.at(-1) ?? '', 'base64').toString('utf16le');
}

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
    const lines = (await readFile(command, 'utf8')).split('\r\n');
    assert.deepEqual(lines.slice(-3), [
      `if exist "${process.execPath}" set hookbell_node="${process.execPath}"`,
      `%hookbell_node% "${cli}" %* & exit /b`,
      '',
    ]);
    assert.equal(await isLinked({ command, program }, 'win32'), true);
    assert.equal(await isLinked({ command, program: String.raw`D:\other` }, 'win32'), false);
  });

  test('runs no "chcp" of the current folder', async () => {
    await using place = await temporaryDirectory();
    const command = join(place.path, 'hookbell.cmd');

    await linkCommand({ command, program: String.raw`D:\Söhne` }, 'win32');

    const lines = (await readFile(command, 'utf8')).split('\r\n');
    const order = ['setlocal', 'set NoDefaultCurrentDirectoryInExePath=1', 'chcp 65001 >nul'];
    assert.deepEqual(lines.slice(1, 4), order);
  });
});
