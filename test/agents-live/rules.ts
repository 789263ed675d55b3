// Rules with real agents and a scripted model: what a person allows again and again in two sessions becomes a rule by "hookbell rules
// apply"; then the same request no longer waits, each hostile variant of it still does, and "rules undo" restores the bytes.
//
//   npm run test:rules [-- --agent NAME]
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { temporaryDirectory } from '../support/temporary-directory.ts';
import { openTmux } from '../support/tmux.ts';
import { liveAgents } from './agents.ts';
import { personAt, until } from './answer-scene.ts';
import { isIsolated, runIsolated } from './isolated.ts';
import type { LiveAgent } from './live-agent.ts';
import { type LiveHome, openLiveHome, type Terminal } from './live-home.ts';
import { openScriptedModel } from './model.ts';
import { installPackage, packageFolder } from './programs.ts';
import type { Move } from './tools.ts';

const { values } = parseArgs({ options: { agent: { type: 'string', multiple: true } } });

/** What is asked for again and again, and what is made of it. */
interface Row {
  readonly agent: string;
  /** Six requests, for two sessions. */
  readonly allowed: readonly Move[];
  /** Allowed by the rule. */
  readonly same: readonly Move[];
  readonly hostile: readonly Move[];
  readonly rule: RegExp;
  /** The file that is changed, below the project. */
  readonly file: string;
  readonly before: string | null;
}

const run = (line: string): Move => ({ run: line });
const command = 'cargo test';
const hostileCommands = [
  `${command} && touch evil`,
  `${command}; touch evil`,
  `${command} || touch evil`,
  `${command} | tee evil`,
  `${command} & touch evil`,
  `${command}\ntouch evil`,
  `${command} $(touch evil)`,
  `${command} "$(touch evil)"`,
  `${command} \`touch evil\``,
  `${command} <(touch evil)`,
  `${command} > evil`,
  `${command} >> ~/.profile`,
  `(${command}; touch evil)`,
  `bash -c "${command}; touch evil"`,
  `X=1 ${command}`,
  `PATH=.:$PATH ${command}`,
  `env ${command}`,
  `eval ${command}`,
  `${command}x`,
  `${command}；touch evil`,
  `${command}\u2028touch evil`,
  'cargo build',
].map(run);
const varied = ['--a', '--b', '--c', '--d', '--e', '--f'].map((word) => run(`${command} ${word}`));
const write = (path: string): Move => ({
  call: 'write_file',
  input: { file_path: path, content: 'x\n' },
});

const rows: readonly Row[] = [
  {
    agent: 'claude',
    allowed: varied,
    same: [run(`${command} --a`), run(`${command} --new`), run(command)],
    hostile: hostileCommands,
    rule: /Bash\(cargo test:\*\)/,
    file: '.claude/settings.local.json',
    before: '{\n  "permissions": { "deny": ["Bash(rm:*)"] }\n}\n',
  },
  {
    agent: 'codex',
    allowed: varied,
    same: [run(`${command} --a`), run(`${command} --new`), run(command)],
    hostile: hostileCommands,
    rule: /prefix_rule\(pattern=\["cargo","test"\], decision="allow"\)/,
    file: '.codex/rules/default.rules',
    before: null,
  },
  {
    agent: 'opencode',
    allowed: Array.from({ length: 6 }, () => run(command)),
    same: [run(command)],
    hostile: [...hostileCommands, run(`${command} --release`)],
    rule: /allow cargo test\n/,
    file: 'opencode.json',
    before: '{ "permission": { "bash": { "*": "ask" } } }\n',
  },
  {
    agent: 'qwen',
    allowed: ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => write(`PROJECT/src/${name}.txt`)),
    same: [write('PROJECT/src/a.txt'), write('PROJECT/src/new.txt')],
    hostile: [
      write('PROJECT/evil'),
      write('PROJECT/src/../evil'),
      write('PROJECT/other/evil'),
      run('touch evil'),
      ...hostileCommands.slice(0, 4),
    ],
    rule: /Edit\(\/src\/\*\*\)/,
    file: '.qwen/settings.json',
    // Without its version, the program would write it anew.
    before: '{\n  "$version": 4\n}\n',
  },
];

async function prepare(): Promise<number> {
  for (const { agent } of chosen()) {
    const live = liveAgents.find((one) => one.agent === agent);
    const trouble = live === undefined ? `No agent "${agent}"` : await installPackage(live);
    if (trouble !== null) throw new Error(trouble);
    if (live?.companion !== undefined) await installPackage(live.companion);
  }
  await using directory = await temporaryDirectory();
  const XDG_CACHE_HOME = join(packageFolder({ npm: 'x', version: '0' }), '..', '..');
  return await runIsolated({ TMPDIR: directory.path, XDG_CACHE_HOME });
}

function chosen(): readonly Row[] {
  return rows.filter(({ agent }) => values.agent?.includes(agent) !== false);
}

async function examine(): Promise<number> {
  await using directory = await temporaryDirectory();
  const folder = join(directory.path, 'bin');
  mkdirSync(folder);
  writeFileSync(join(folder, 'cargo'), '#!/bin/sh\necho tested\n');
  chmodSync(join(folder, 'cargo'), 0o755);
  process.env['PATH'] = `${folder}:${process.env['PATH'] ?? ''}`;
  let bad = 0;
  for (const row of chosen()) {
    const agent = liveAgents.find((one) => one.agent === row.agent);
    if (agent === undefined) continue;
    bad += await play(agent, row, join(directory.path, `${row.agent}.jsonl`)).catch(
      (error: unknown) => say(false, row, `it broke off: ${String(error)}`),
    );
  }
  return bad === 0 ? 0 : 1;
}

/** 1 if it did not hold. */
function say(isOk: boolean, { agent }: Row, what: string): number {
  process.stdout.write(`${isOk ? 'ok ' : 'BAD'} ${agent}: ${what}\n`);
  return isOk ? 0 : 1;
}

async function play(agent: LiveAgent, row: Row, log: string): Promise<number> {
  const moves = [...row.allowed, ...row.same, ...row.hostile];
  // The directory is known only when the model is asked.
  const scripts: Record<string, readonly Move[]> = {};
  await using model = await openScriptedModel(scripts, log);
  const program = join(packageFolder(agent), 'node_modules/.bin', agent.program);
  await using live = await openLiveHome(agent, program, model.url);
  await using tmux = await openTmux();
  const terminal = live.openTerminal(live.projects[0] ?? live.home);
  const { project } = terminal;
  for (const [at, move] of moves.entries()) {
    const here: Move = JSON.parse(JSON.stringify(move).replaceAll('PROJECT', project));
    scripts[promptOf(at)] = [here, { say: `Over ${at}.` }];
  }
  const file = join(project, row.file);
  mkdirSync(join(file, '..'), { recursive: true });
  if (row.before !== null) writeFileSync(file, row.before);
  const bytes = (): string | null => (existsSync(file) ? readFileSync(file, 'utf8') : null);
  const hookbell = (...words: readonly string[]): Promise<string> =>
    personAt(tmux, live.home, words, 'y');

  let bad = 0;
  for (const at of row.allowed.keys()) {
    if (at % 3 === 0) await start(live, terminal, agent);
    const asked = await ask(terminal, agent, at);
    if (!asked) bad += say(false, row, `${text(row.allowed[at])} did not wait`);
    else await terminal.press(...agent.keys.yes);
    await until(async () => isOver(await terminal.screen(), at));
  }
  // Some programs complete their settings at the start.
  const before = bytes();
  const listed = await hookbell('rules');
  bad += say(row.rule.test(listed), row, 'the rule is proposed');
  const applied = await hookbell('rules', 'apply', '1');
  bad += say(/status 0/.test(applied), row, `"rules apply" changed ${row.file}`);
  if (bad > 0) process.stdout.write(`${listed}\n${applied}\n`);

  await start(live, terminal, agent);
  for (const [index, move] of row.same.entries()) {
    const asked = await ask(terminal, agent, row.allowed.length + index);
    bad += say(!asked, row, `no longer waits: ${text(move)}`);
    if (asked) await refuse(terminal, agent);
  }
  for (const [index, move] of row.hostile.entries()) {
    const asked = await ask(terminal, agent, row.allowed.length + row.same.length + index);
    const isKnown = asked && (await holds(() => live.isAsked()));
    if (asked) await refuse(terminal, agent);
    const isDone = ['evil', 'other/evil'].some((name) => existsSync(join(project, name)));
    bad += say(isKnown && !isDone, row, `still waits: ${text(move)}`);
    rmSync(join(project, 'evil'), { force: true });
  }
  await terminal.kill();
  const undone = await hookbell('rules', 'undo');
  bad += say(bytes() === before, row, `"rules undo" restored the bytes`);
  if (bytes() !== before) process.stdout.write(`${undone}\n`);
  return bad;
}

function promptOf(at: number): string {
  return `Go on with ${at}.`;
}

function text(move: Move | undefined): string {
  return JSON.stringify(move !== undefined && 'run' in move ? move.run : move);
}

function isOver(screen: string, at: number): boolean {
  return screen.includes(`Over ${at}.`);
}

/** Whether the agent asks a person before it has done what this prompt makes the model want. */
async function ask(terminal: Terminal, agent: LiveAgent, at: number): Promise<boolean> {
  await terminal.type(promptOf(at));
  await delay(300);
  await terminal.press('Enter');
  let shown = '';
  await until(async () => {
    shown = await terminal.screen();
    return agent.asking.permission.test(shown) || isOver(shown, at);
  });
  // A dialog that has just appeared ignores keys.
  await delay(600);
  return !isOver(shown, at);
}

async function refuse(terminal: Terminal, agent: LiveAgent): Promise<void> {
  await terminal.press(...agent.keys.no);
  await until(async () => !agent.asking.permission.test(await terminal.screen()));
  await delay(500);
  // Some give the prompt back to be edited.
  await terminal.press('C-u');
  await delay(500);
}

/** Whether it comes true within some seconds. */
async function holds(condition: () => Promise<boolean>): Promise<boolean> {
  for (let left = 40; left > 0; left -= 1) {
    if (await condition()) return true;
    await delay(100);
  }
  return false;
}

async function start(live: LiveHome, terminal: Terminal, agent: LiveAgent): Promise<void> {
  await live.quiet(500);
  await terminal.start(agent.interactive);
  await until(async () => {
    const screen = await terminal.screen();
    const dialog = agent.dialogs.find(([shown]) => shown.test(screen));
    if (dialog !== undefined) await terminal.press(...dialog.slice(1).map(String));
    return dialog === undefined && agent.ready.test(screen);
  });
  await delay(1_000);
}

// Last, because the rows above have to exist.
process.exitCode = isIsolated() ? await examine() : await prepare();
