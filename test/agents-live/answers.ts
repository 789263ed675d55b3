// Answers from elsewhere with the real Claude Code and a scripted model: the files that it makes and its next request to the model
// are the truth.
//
//   npm run test:answers [-- --row PART]
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { callDaemon } from '../../src/control/control-client.ts';
import { resolvePaths } from '../../src/core/paths.ts';
import { shellWord } from '../../src/text/escape.ts';
import { projectRoot } from '../support/hookbell-home.ts';
import { runProcess } from '../support/run-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { openTmux, type Tmux } from '../support/tmux.ts';
import { liveAgents } from './agents.ts';
import { isIsolated, runIsolated } from './isolated.ts';
import { openLiveHome, type Terminal } from './live-home.ts';
import { openScriptedModel, type ScriptedModel } from './model.ts';
import { installPackage, packageFolder } from './programs.ts';
import type { Scripts } from './tools.ts';

const cli = join(projectRoot, 'dist/program/cli.js');
const hookbell = `${process.execPath} ${cli}`;
/** Leaves the shell of the agent, has a terminal, and says yes. */
const byItself = `(sleep 4; printf 'y\\n' | HOME="$HOME" script -qec '${hookbell} allow' itself.txt >/dev/null 2>&1) &`;

const scripts: Scripts = {
  'Make one': [{ run: 'touch one.txt' }, { say: 'One is made' }],
  'Make two': [{ run: 'touch two.txt' }, { say: 'I use staging' }],
  'Make three': [{ run: 'touch three.txt' }, { say: 'Three is made' }],
  'Make four': [{ run: 'touch four.txt' }, { say: 'Four is made' }],
  'Choose now': [{ ask: 'Which database should I use?' }, { say: 'Thanks for that' }],
  'Help yourself': [{ run: byItself }, { run: 'touch five.txt' }, { say: 'Five is made' }],
};

interface Scene {
  readonly terminal: Terminal;
  readonly model: ScriptedModel;
  readonly log: string;
  /** A person at another terminal. */
  person(...words: readonly string[]): Promise<string>;
  type(text: string): Promise<void>;
  shows(words: RegExp): Promise<void>;
  /** Waits until a request is held. */
  held(): Promise<void>;
  /** How the latest question ended. */
  closed(): Promise<void>;
  made(name: string): boolean;
  killDaemon(): Promise<void>;
}

const rows: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  'allow on the command line: the command runs': async (scene) => {
    await scene.type('Make one');
    await scene.held();
    assert.match(await scene.person('allow'), /Allowed: the answer was sent to claude/);
    await until(() => scene.made('one.txt'));
    await scene.shows(/One is made/);
    await scene.closed();
  },
  'deny with words: they are in the next request to the model': async (scene) => {
    await scene.type('Make two');
    await scene.held();
    assert.match(await scene.person('deny', 'Use the "staging" bucket'), /Denied/);
    await scene.shows(/I use staging/);
    assert.equal(scene.made('two.txt'), false);
    const last = readFileSync(scene.log, 'utf8').trim().split('\n').at(-1) ?? '';
    assert.ok(last.includes(String.raw`Use the \"staging\" bucket`), 'the words did not arrive');
    await scene.closed();
  },
  'the terminal is first: the hook is let go': async (scene) => {
    await scene.type('Make three');
    await scene.held();
    await scene.shows(/Do you want to proceed\?/);
    await delay(500);
    await scene.terminal.press('1');
    await until(() => scene.made('three.txt'));
    await scene.closed();
    assert.match(await scene.person('allow'), /No agent waits for an answer from here/);
    await scene.shows(/Three is made/);
  },
  'a question is answered by its number': async (scene) => {
    await scene.type('Choose now');
    await scene.held();
    assert.match(await scene.person('answer'), /Answered/);
    await scene.shows(/Thanks for that/);
    const last = readFileSync(scene.log, 'utf8').trim().split('\n').at(-1) ?? '';
    assert.match(last, /Which database should I use\?[^}]*SQLite/);
  },
  'the agent tries to allow itself: refused': async (scene) => {
    await scene.type('Help yourself');
    await scene.held();
    assert.match(await scene.person('allow'), /Allowed/);
    await until(() => scene.model.requests('Help yourself') >= 2);
    await scene.held();
    await until(() => said(scene).includes('Cannot answer for a person'));
    assert.equal(scene.made('five.txt'), false);
    assert.match(await scene.person('deny'), /Denied/);
  },
  'the daemon is killed while a request is held: the prompt of the agent decides': async (
    scene,
  ) => {
    await scene.type('Make four');
    await scene.held();
    await scene.shows(/Do you want to proceed\?/);
    await scene.killDaemon();
    await delay(1_000);
    await scene.shows(/Do you want to proceed\?/);
    assert.equal(scene.made('four.txt'), false);
    await scene.terminal.press('1');
    await until(() => scene.made('four.txt'));
  },
};

function said({ terminal }: Pick<Scene, 'terminal'>): string {
  const file = join(terminal.project, 'itself.txt');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

process.exitCode = isIsolated() ? await examine() : await prepare();

async function prepare(): Promise<number> {
  const agent = liveAgents.find((one) => one.agent === 'claude');
  const trouble = agent === undefined ? 'There is no such agent' : await installPackage(agent);
  if (trouble !== null) throw new Error(trouble);
  await using directory = await temporaryDirectory();
  const XDG_CACHE_HOME = join(packageFolder({ npm: 'x', version: '0' }), '..', '..');
  return await runIsolated({ TMPDIR: directory.path, XDG_CACHE_HOME });
}

async function examine(): Promise<number> {
  const { values } = parseArgs({ options: { row: { type: 'string' } } });
  const agent = liveAgents.find((one) => one.agent === 'claude');
  assert.ok(agent);
  await using directory = await temporaryDirectory();
  const log = join(directory.path, 'model.jsonl');
  await using model = await openScriptedModel(scripts, log);
  const program = join(packageFolder(agent), 'node_modules/.bin', agent.program);
  await using home = await openLiveHome(agent, program, model.url);
  await using tmux = await openTmux();
  const env = { HOME: home.home, PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8' };
  const words = ['install', '--yes', '--no-service', '--agent', 'claude', '--answers'];
  const installed = await runProcess(process.execPath, [cli, ...words], { env });
  assert.equal(installed.code, 0, installed.stderr);
  const paths = resolvePaths(env, process.platform, home.home);
  const terminal = home.openTerminal(home.projects[0] ?? home.home);
  await terminal.start(agent.interactive);
  const deadline = Date.now() + 120_000;
  for (let isReady = false; !isReady;) {
    const screen = await terminal.screen();
    assert.ok(Date.now() < deadline, screen);
    const dialog = agent.dialogs.find(([shown]) => shown.test(screen));
    isReady = dialog === undefined && agent.ready.test(screen);
    if (dialog !== undefined) await terminal.press(...dialog.slice(1).map(String));
    await delay(250);
  }
  const questions = () => callDaemon(paths, 'GET /v1/questions');
  const scene: Scene = {
    terminal,
    model,
    log,
    person: (...typed) => personAt(tmux, home.home, typed),
    async type(text) {
      await delay(500);
      await terminal.type(text);
      await delay(500);
      await terminal.press('Enter');
      await until(() => model.requests(text) > 0);
    },
    shows: (shown) => until(async () => shown.test(await terminal.screen())),
    held: () => until(async () => (await questions()).some(({ state }) => state === 'held')),
    closed: () => until(async () => (await questions()).length === 0),
    made: (name) => existsSync(join(terminal.project, name)),
    async killDaemon() {
      process.kill(Number(readFileSync(paths.pidFile, 'utf8').split(' ')[0]), 'SIGKILL');
      await delay(100);
    },
  };
  let failed = 0;
  for (const [name, play] of Object.entries(rows)) {
    if (!name.includes(values.row ?? '')) continue;
    try {
      await play(scene);
      process.stdout.write(`ok  ${name}\n`);
    } catch (error) {
      failed += 1;
      const reason = error instanceof Error ? error.message : String(error);
      process.stdout.write(`BAD ${name}: ${reason}\n${await terminal.screen()}\n`);
      await terminal.press('Escape');
      await delay(1_000);
    }
  }
  return failed === 0 ? 0 : 1;
}

/** Types a command in a terminal of its own, says yes or the first option, and returns what it showed. */
async function personAt(tmux: Tmux, home: string, words: readonly string[]): Promise<string> {
  const line = [process.execPath, cli, ...words].map(shellWord).join(' ');
  await tmux.run('set', '-g', 'remain-on-exit', 'on');
  const command = `HOME=${shellWord(home)} ${line}; echo "status $?"`;
  const pane = (await tmux.run('new-window', '-d', '-P', '-F', '#{pane_id}', command)).trim();
  const screen = (): Promise<string> => tmux.run('capture-pane', '-p', '-J', '-S', '-', '-t', pane);
  let isTyped = false;
  await until(async () => {
    const shown = await screen();
    const asks = /Allow this\?|Number or text:/.exec(shown)?.[0];
    if (asks !== undefined && !isTyped) {
      isTyped = true;
      await tmux.run('send-keys', '-t', pane, asks.startsWith('Allow') ? 'y' : '1', 'Enter');
    }
    return /status \d+/.test(shown);
  });
  return screen();
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 45_000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`It did not come true: ${String(holds)}`);
    await delay(100);
  }
}
