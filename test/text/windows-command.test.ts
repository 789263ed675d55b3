import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';

import { execa } from 'execa';
import { Language, Parser } from 'web-tree-sitter';

import { hookFormats } from '../../src/setup/hook-formats.ts';
import { isOwnCommand, type RegistrableAgent } from '../../src/setup/hook-places.ts';
import { planHooks } from '../../src/setup/hooks.ts';
import {
  readWindowsCommand,
  whyNoWindowsCommand,
  windowsCommand,
  windowsLine,
  type WindowsRunner,
  windowsWords,
} from '../../src/text/windows-command.ts';
import { registrableAgents } from '../../src/cli/install-places.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const NODE = String.raw`C:\Program Files\nodejs\node.exe`;
const HOOK = String.raw`C:\Users\O'Neil & Söhne ^ 👍\hookbell-hook.cjs`;
const STATE = String.raw`C:\Users\O'Neil & Söhne ^ 👍\state`;
const words = windowsWords(NODE, HOOK, ['--state', STATE]);
const runners: readonly WindowsRunner[] = [
  'exec',
  'powershell',
  'named-powershell',
  'either-shell',
  'posix-shell',
];

describe('windowsCommand()', () => {
  for (const runner of runners) {
    test(`for "${runner}" is read back as the same words`, () => {
      const { command, args } = windowsCommand(runner, words);

      const line = args === undefined ? command : windowsLine(command, args);
      assert.deepEqual(readWindowsCommand(line), words);
      assert.equal(whyNoWindowsCommand(runner, words), null);
      assert.ok(isOwnCommand(line));
    });
  }

  for (const runner of ['powershell', 'either-shell'] as const) {
    test(`for "${runner}" is one call in the grammar of PowerShell, with each word as one string`, async (t) => {
      // To optimize what the grammar was compiled to takes longer than all else here.
      setFlagsFromString('--liftoff-only');
      t.after(() => setFlagsFromString('--no-liftoff-only'));
      await Parser.init();
      const grammar = new URL(
        import.meta.resolve('tree-sitter-powershell/tree-sitter-powershell.wasm'),
      );
      const parser = new Parser();
      parser.setLanguage(await Language.load(new Uint8Array(await readFile(grammar))));

      const root = parser.parse(windowsCommand(runner, words).command)?.rootNode;

      assert.equal(root?.hasError, false);
      const strings = root.descendantsOfType([
        'verbatim_string_characters',
        'expandable_string_literal',
      ]);
      assert.deepEqual(
        strings.map((node) => node?.text.slice(1, -1).replaceAll("''", "'")),
        words,
      );
    });
  }
});

test('windowsCommand() for "posix-shell" is what a POSIX shell reads as the same words', async () => {
  const { command } = windowsCommand('posix-shell', words);
  const { stdout } = await execa('sh', ['-c', `printf '%s\\n' ${command}`]);
  assert.deepEqual(stdout.split('\n'), words);
});

describe('whyNoWindowsCommand()', () => {
  const refused: Readonly<Record<WindowsRunner, readonly string[]>> = {
    exec: ['C:\\${HOME}\\a', 'C:\\a\nb', 'C:\\a\\'],
    powershell: ['C:\\O’Neil', 'C:\\“a”', 'C:\\a\\'],
    'named-powershell': ['C:\\O‘Neil'],
    'either-shell': ['C:\\100%', 'C:\\a!', 'C:\\$a', 'C:\\a`b', 'C:\\„a'],
    'posix-shell': ['C:\\$a', 'C:\\a`b', '\\\\server\\a'],
  };
  for (const [runner, paths] of Object.entries(refused)) {
    test(`refuses what the runner "${runner}" would change`, () => {
      const known = runners.find((each) => each === runner) ?? assert.fail();
      for (const path of paths) {
        assert.match(whyNoWindowsCommand(known, [path]) ?? '', /this agent would read/, path);
      }
    });
  }
});

test('planHooks() on Windows mends the hook of an earlier version for every agent, and Linux does the reverse', async () => {
  await using directory = await temporaryDirectory();
  const { path: home } = directory;
  const place = { base: home, home, state: STATE, searchPath: '' };
  for (const agent of registrableAgents()) {
    const before = await textOf(agent, String.raw`C:\p\hooks\hookbell-hook`, place);
    const wanted = await textOf(agent, HOOK, { ...place, node: NODE });
    const { format, registration } = await formatOf(agent);

    const words_ = ['--state', STATE, ...(registration.words ?? [])];
    const mended = format.register(before, { ...registration, words: words_, node: NODE }, HOOK);
    const back = format.register(
      wanted,
      { ...registration, words: words_ },
      String.raw`C:\p\hooks\hookbell-hook`,
    );

    assert.ok(mended.ok && back.ok, agent.agent);
    const listed = format.list(mended.text);
    assert.ok(listed.ok);
    assert.equal(listed.hooks.length, registration.events.length, agent.agent);
    for (const { command } of listed.hooks) {
      const read = readWindowsCommand(command) ?? assert.fail(`${agent.agent}: ${command}`);
      assert.deepEqual(read.slice(0, 6), words, agent.agent);
    }
    assert.deepEqual(parsed(mended.text), parsed(wanted), agent.agent);
    assert.deepEqual(parsed(back.text), parsed(before), `${agent.agent} back`);
  }
});

test('planHooks() refuses a path that the shell of an agent would change, and names it', async () => {
  await using directory = await temporaryDirectory();
  const droid = registrableAgents().find(({ agent }) => agent === 'droid') ?? assert.fail();
  const place = { base: directory.path, home: directory.path, searchPath: '', node: NODE };

  const plan = await planHooks(droid, HOOK, { ...place, state: 'C:\\100%' }, { force: true });

  assert.equal(plan.type, 'refused');
  assert.match('reason' in plan ? plan.reason : '', /"C:\\100%" differently, because of "%"/);
});

async function textOf(
  agent: RegistrableAgent,
  hook: string,
  place: Parameters<typeof planHooks>[2],
): Promise<string> {
  const plan = await planHooks(agent, hook, place, { force: true });
  assert.equal(plan.type, 'write', agent.agent);
  return 'after' in plan ? plan.after : '';
}

async function formatOf({ registration }: RegistrableAgent) {
  const { shape } = registration.files.at(-1) ?? assert.fail();
  return { format: hookFormats[shape], registration };
}

/** JSON without the order of its keys. */
function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return text;
  }
}
