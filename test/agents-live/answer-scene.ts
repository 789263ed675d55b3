import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { callDaemon } from '../../src/control/control-client.ts';
import type { RecordedQuestionView } from '../../src/control/contract-views.ts';
import { isWaiting } from '../../src/core/hook-event.ts';
import { resolvePaths } from '../../src/core/paths.ts';
import { parseJson } from '../../src/platform/json.ts';
import { shellWord } from '../../src/text/escape.ts';
import type { DesktopSession } from '../support/desktop-session.ts';
import { projectRoot } from '../support/hookbell-home.ts';
import { runProcess } from '../support/run-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { openTmux, type Tmux } from '../support/tmux.ts';
import type { LiveAgent } from './live-agent.ts';
import { openLiveHome, type Terminal } from './live-home.ts';
import { openScriptedModel, type ScriptedModel } from './model.ts';
import { packageFolder } from './programs.ts';
import type { Scripts } from './tools.ts';

export const cli = join(projectRoot, 'dist/program/cli.js');

/** An agent in a terminal with the hook that waits, and a person at another terminal. */
export interface Scene extends AsyncDisposable {
  readonly agent: LiveAgent;
  readonly home: string;
  readonly terminal: Terminal;
  readonly model: ScriptedModel;
  /** Where notifications appear; null: nowhere. */
  readonly desktop: DesktopSession | null;
  start(): Promise<void>;
  /**
   * Runs `hookbell` in a terminal and returns what it showed.
   *
   * @param typed what the person answers to its question
   */
  person(words: readonly string[], typed?: string): Promise<string>;
  type(text: string): Promise<void>;
  shows(words: RegExp): Promise<void>;
  /** Waits until a request is held. */
  held(): Promise<void>;
  /** The requests that are held, oldest first. */
  asked(): Promise<readonly string[]>;
  /** Waits until no question is open; returns how the latest ended. */
  closed(): Promise<RecordedQuestionView>;
  /** The states of the latest two after that, sorted: two that are asked together have no order. */
  bothClosed(): Promise<readonly string[]>;
  /** How many alerts about a wait are open: one about the end of a turn that a slow machine made a long one may be, too. */
  alerts(): Promise<number>;
  made(name: string): boolean;
  /** Whether a request to the model had these words in it. */
  modelWasSent(words: string): boolean;
  /** The processes of the hook that waits. */
  hooks(): readonly number[];
  killDaemon(): Promise<void>;
  /** Whether the person is at the machine, as the time since the last key shows it. */
  setPresent(isPresent: boolean): void;
}

/** A busy machine starts a program in many seconds, ms. */
const PATIENCE_MS = 60_000;

const searchPath = process.env['PATH'] ?? '';

/**
 * @param programs a new folder for stand-ins: of xprintidle, which reports the time since the last key. Until the next scene is opened
 *   it is in the PATH of all that this process starts
 * @param desktop for the notifications of the daemon; ends with the scene
 */
export async function openScene(
  agent: LiveAgent,
  scripts: Scripts,
  programs: string,
  desktop: DesktopSession | null = null,
): Promise<Scene> {
  const directory = await temporaryDirectory();
  const log = join(directory.path, 'model.jsonl');
  const idle = join(directory.path, 'idle');
  mkdirSync(programs);
  process.env['PATH'] = `${programs}:${searchPath}`;
  writeFileSync(join(programs, 'xprintidle'), `#!/bin/sh\ncat ${shellWord(idle)}\n`);
  chmodSync(join(programs, 'xprintidle'), 0o755);
  const model = await openScriptedModel(scripts, log);
  const program = join(packageFolder(agent), 'node_modules/.bin', agent.program);
  const live = await openLiveHome(agent, program, model.url);
  const tmux = await openTmux();
  const { home } = live;
  const { DISPLAY = '', DBUS_SESSION_BUS_ADDRESS = '' } = desktop?.env ?? {};
  const env = {
    HOME: home,
    PATH: process.env['PATH'] ?? '',
    LANG: 'C.UTF-8',
    ...(desktop !== null && { DISPLAY, DBUS_SESSION_BUS_ADDRESS }),
  };
  const words = [
    'install',
    '--yes',
    '--no-service',
    '--agent',
    agent.agent,
    '--answers',
    '--words',
  ];
  const installed = await runProcess(process.execPath, [cli, ...words], { env });
  if (installed.code !== 0) throw new Error(installed.stderr);
  const paths = resolvePaths(env, process.platform, home);
  const terminal = live.openTerminal(live.projects[0] ?? home);
  const recorded = async (): Promise<readonly RecordedQuestionView[]> => {
    await until(async () => (await questions()).length === 0);
    await delay(100);
    return callDaemon(paths, 'GET /v1/answers');
  };
  const questions = () => callDaemon(paths, 'GET /v1/questions');

  return {
    agent,
    home,
    terminal,
    model,
    desktop,
    async start() {
      await terminal.start(agent.interactive);
      const deadline = Date.now() + 60_000;
      for (let isReady = false; !isReady;) {
        const screen = await terminal.screen();
        if (Date.now() > deadline) throw new Error(`The agent is not ready:\n${screen}`);
        const dialog = agent.dialogs.find(([shown]) => shown.test(screen));
        isReady = dialog === undefined && agent.ready.test(screen);
        if (dialog !== undefined) await terminal.press(...dialog.slice(1).map(String));
        await delay(250);
      }
    },
    person: (typedWords, typed = 'y') => personAt(tmux, home, typedWords, typed),
    async type(text) {
      await delay(500);
      await terminal.type(text);
      await delay(500);
      await terminal.press('Enter');
      await until(() => model.requests(text) > 0);
    },
    shows: (shown) => until(async () => shown.test(await terminal.screen())),
    held: () => until(async () => (await questions()).some(({ state }) => state === 'held')),
    asked: async () =>
      (await questions()).flatMap(({ state, text }) => (state === 'held' ? [text ?? ''] : [])),
    async closed() {
      const [latest] = await recorded();
      if (latest === undefined) throw new Error('No question was recorded');
      return latest;
    },
    bothClosed: async () =>
      (await recorded())
        .slice(0, 2)
        .map(({ state }) => state)
        .toSorted(),
    alerts: async () =>
      (await callDaemon(paths, 'GET /v1/alerts')).filter(({ kind }) => isWaiting(kind)).length,
    made: (name) => existsSync(join(terminal.project, name)),
    modelWasSent: (sent) => readFileSync(log, 'utf8').includes(JSON.stringify(sent).slice(1, -1)),
    hooks: () =>
      readdirSync('/proc')
        .filter(
          (name) =>
            /^\d+$/.test(name) && hasWord(name, `${home}/.local/share/hookbell/hooks/hookbell-ask`),
        )
        .map(Number),
    async killDaemon() {
      process.kill(Number(readFileSync(paths.pidFile, 'utf8').split(' ')[0]), 'SIGKILL');
      await delay(100);
    },
    setPresent: (isPresent) => writeFileSync(idle, isPresent ? '0\n' : '900000\n'),
    async [Symbol.asyncDispose]() {
      await tmux[Symbol.asyncDispose]();
      await live[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
      await desktop?.[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

function hasWord(pid: string, word: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(word);
  } catch {
    return false;
  }
}

/** The process of Claude Code, as its record of the session names it. */
export function claudeProcess(home: string): number {
  const folder = join(home, '.claude/sessions');
  const names = readdirSync(folder).filter((name) => /^\d+\.json$/.test(name));
  const pids = names.map((name) => {
    const record = parseJson(readFileSync(join(folder, name), 'utf8'));
    return typeof record === 'object' && record !== null && 'pid' in record ? record.pid : null;
  });
  return Number(pids.at(-1));
}

/** Runs `hookbell` in a window of tmux, types the answer to its question, and returns what it showed. */
export async function personAt(
  tmux: Tmux,
  home: string,
  words: readonly string[],
  typed: string,
): Promise<string> {
  const line = [process.execPath, cli, ...words].map(shellWord).join(' ');
  await tmux.run('set', '-g', 'remain-on-exit', 'on');
  const command = `HOME=${shellWord(home)} ${line}; echo "status $?"`;
  const pane = (await tmux.run('new-window', '-d', '-P', '-F', '#{pane_id}', command)).trim();
  const screen = (): Promise<string> => tmux.run('capture-pane', '-p', '-J', '-S', '-', '-t', pane);
  let isTyped = false;
  await until(async () => {
    const shown = await screen();
    if (!isTyped && /\[y\/N\]|or text:/.test(shown)) {
      isTyped = true;
      await tmux.run('send-keys', '-t', pane, '-l', typed);
      await tmux.run('send-keys', '-t', pane, 'Enter');
    }
    return /status \d+/.test(shown);
  });
  return screen();
}

export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`It did not come true: ${String(holds)}`);
    await delay(50);
  }
}
