// The second witness with the real Claude Code, or Grok Build, and a scripted model: every wait notifies once, with all hooks off, with hooks that run
// every other time, and with all of them. The screen says when a dialog appears.
//
//   npm run test:witness [-- --hooks off,flaky,on,editor] [--agent grok]
import { spawn } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { callDaemon } from '../../src/control/control-client.ts';
import { resolvePaths } from '../../src/core/paths.ts';
import { projectRoot } from '../support/hookbell-home.ts';
import { runProcess } from '../support/run-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { liveAgents } from './agents.ts';
import { isIsolated, runIsolated } from './isolated.ts';
import type { LiveAgent } from './live-agent.ts';
import { type LiveHome, openLiveHome, type Terminal } from './live-home.ts';
import { openScriptedModel } from './model.ts';
import { installPackage, packageFolder } from './programs.ts';
import type { Scripts } from './tools.ts';
import { LONG_MS, type Scene, scenesOfClaude, scenesOfGrok } from './witness-scenes.ts';

const modes = ['off', 'flaky', 'on', 'editor'] as const;
type Mode = (typeof modes)[number];

const { values } = parseArgs({
  options: {
    hooks: { type: 'string', default: modes.join(',') },
    agent: { type: 'string', default: 'claude' },
  },
});
const isClaude = values.agent === 'claude';
const chosen = modes.filter(
  (mode) => values.hooks.split(',').includes(mode) && (isClaude || mode !== 'editor'),
);

const PATIENCE_MS = 60_000;
const LATEST_MS = 2_500;
/** A second notification of the same wait would come by then, ms: Claude Code reminds of a dialog after six seconds. */
const DOUBLE_MS = 8_000;
const scenes = isClaude ? scenesOfClaude : scenesOfGrok;
const esc: Scripts = { 'Think for long': [{ say: 'Too late', afterMs: 60_000 }] };
const scripts: Scripts = {
  ...Object.fromEntries(scenes.map(({ prompt, model }) => [prompt, model])),
  'Test it now': [{ run: 'touch tested.txt' }, { say: 'All is tested' }],
  'All is tested': [{ say: 'Well tested' }],
  'Write for the editor': [{ run: 'touch editor.txt' }, { say: 'never' }],
  ...esc,
};

process.exitCode = isIsolated() ? await examine() : await prepare();

async function prepare(): Promise<number> {
  const trouble = await installPackage(chosenAgent());
  if (trouble !== null) {
    process.stderr.write(`Left out: ${trouble}\n`);
    return process.env['HOOKBELL_REQUIRE_SYSTEM'] === '1' ? 1 : 0;
  }
  await using directory = await temporaryDirectory();
  const XDG_CACHE_HOME = join(packageFolder({ npm: 'x', version: '0' }), '..', '..');
  return await runIsolated({ TMPDIR: directory.path, XDG_CACHE_HOME });
}

function chosenAgent(): LiveAgent {
  const found = liveAgents.find(({ agent }) => agent === values.agent);
  if (found === undefined) throw new Error('That agent is not among those that are run');
  return found;
}

async function examine(): Promise<number> {
  let faults = 0;
  const late: number[] = [];
  for (const mode of chosen) {
    const found = await playMode(mode);
    faults += found.faults;
    late.push(...found.lateMs);
  }
  const sorted = late.toSorted((a, b) => a - b);
  const p95 = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.95))] ?? 0;
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  process.stdout.write(
    `${late.length} waits: median ${median} ms, p95 ${p95} ms, largest ${sorted.at(-1) ?? 0} ms after the dialog; faults: ${faults}\n`,
  );
  return faults === 0 && p95 <= LATEST_MS ? 0 : 1;
}

interface Found {
  readonly faults: number;
  readonly lateMs: readonly number[];
}

async function playMode(mode: Mode): Promise<Found> {
  await using directory = await temporaryDirectory();
  await using model = await openScriptedModel(scripts, join(directory.path, 'model.jsonl'));
  const agent = chosenAgent();
  const settings = {
    permissions: { defaultMode: 'default', allow: ['mcp__shop__order'] },
    ...((mode === 'off' || mode === 'editor') && { disableAllHooks: true }),
  };
  const silent: LiveAgent = {
    ...agent,
    files: (around) => ({
      ...agent.files(around),
      ...(isClaude && { '.claude/settings.json': settings }),
    }),
  };
  const program = join(packageFolder(agent), 'node_modules/.bin', agent.program);
  await using home = await openLiveHome(silent, program, model.url);
  const basic = { HOME: home.home, PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8' };
  const paths = resolvePaths(basic, process.platform, home.home);
  await writeFile(
    paths.config,
    `channels:
  person: { type: slack, webhook: { file: ${home.home}/webhook }, allow_any_host: true, rate: { burst: 100, every: 10ms }, settle: 700ms }
routes:
  - { match: { severity: [warning, critical] }, notify: [person] }
  - { match: { kind: turn.done, longer_than: ${LONG_MS / 1_000}s }, notify: [person] }
noise: { burst: { at_once: 100, window: 1s }, per_session: 1000, per_channel: 1000 }
presence: { when_watching: ring }
`,
  );
  const cli = join(projectRoot, 'dist/program/cli.js');
  await runProcess(process.execPath, [cli, 'restart'], { env: basic });
  const hooks = join(home.home, isClaude ? '.claude/settings.json' : '.grok/hooks/hookbell.json');
  if (mode === 'flaky') await makeFlaky(hooks);
  if (mode === 'off' && !isClaude) await rm(hooks);
  const faults: string[] = [];
  const lateMs: number[] = [];
  const states = async () =>
    (await callDaemon(paths, 'GET /v1/sessions')).map(({ state }) => state);
  const report = (name: string, problems: readonly string[], ms: number | null): void => {
    faults.push(...problems);
    if (ms !== null) lateMs.push(ms);
    const how = problems.length === 0 ? 'ok ' : 'BAD';
    const time = ms === null ? '' : `${ms} ms`;
    process.stdout.write(
      `${how} hooks ${mode}: ${name.padEnd(26)}${time.padStart(8)}  ${problems.join('; ')}\n`,
    );
  };
  if (mode === 'editor') {
    report('as an editor drives it', ...(await playEditor(home, program, silent, model.url)));
    return { faults: faults.length, lateMs };
  }
  const terminal = home.openTerminal(home.projects[0] ?? home.home);
  await startAgent(terminal, agent);
  for (const scene of scenes) report(scene.prompt, ...(await playScene(home, terminal, scene)));

  const [cancel = ''] = Object.keys(esc);
  const from = Date.now();
  await send(terminal, cancel);
  await until(() => model.requests(cancel) > 0);
  await delay(2_000);
  await terminal.press(...(agent.keys['escape'] ?? ['Escape']));
  const pressed = Date.now();
  const isOver = await becomes(async () => (await states()).includes('done'), 10_000);
  const ms = Date.now() - pressed;
  const rung = (await home.events(from)).filter(({ rangAt }) => rangAt !== null);
  const problems = [
    // A turn of which nothing was shown goes back into the prompt of Grok Build, which then writes and reports nothing.
    ...(isOver || !isClaude ? [] : [`still ${(await states()).join()} ten seconds after Esc`]),
    ...(rung.length === 0 ? [] : [`rang: ${rung.map(({ kind }) => kind).join()}`]),
  ];
  report(isOver ? `Esc: no longer working after ${ms} ms` : 'Esc: not seen', problems, null);
  if (isClaude) report('is this folder trusted?', await playTrust(home, agent), null);
  return { faults: faults.length, lateMs };
}

type Outcome = readonly [problems: readonly string[], ms: number | null];

async function playScene(home: LiveHome, terminal: Terminal, scene: Scene): Promise<Outcome> {
  const { prompt, shows, ring, keys, after, says } = scene;
  const from = Date.now();
  const rings = async () =>
    (await home.events(from)).filter(({ rangAt }) => rangAt !== null).toReversed();
  await send(terminal, prompt);
  await until(async () => shows.test(afterPrompt(await terminal.screen(), prompt)));
  const shownAt = Date.now();
  await becomes(async () => (await rings()).length > 0, 10_000);
  await delay(DOUBLE_MS);
  await terminal.press(...keys);
  if (after !== undefined)
    await until(async () => after.test(afterPrompt(await terminal.screen(), prompt)));
  await delay(3_000);
  const rung = await rings();
  const [first] = rung;
  const body = (await home.heard()).filter(({ rangAt }) => rangAt !== null).at(-1)?.body ?? '';
  const problems = [
    ...(rung.length === 1
      ? []
      : [`rang ${rung.length} times: ${rung.map(({ kind }) => kind).join()}`]),
    ...(rung.every(({ kind }) => kind === ring) ? [] : [`expected ${ring ?? 'nothing'}`]),
    ...(says === undefined || body.includes(says) ? [] : [`does not say "${says}": ${body}`]),
  ];
  if (problems.length > 0) await printTrail(home, from);
  return [problems, first === undefined ? null : Math.max(0, (first.rangAt ?? 0) - shownAt)];
}

/** Before a session has begun, no hook runs in any mode. */
async function playTrust(home: LiveHome, agent: LiveAgent): Promise<readonly string[]> {
  const project = join(home.home, 'strange');
  await mkdir(project);
  const from = Date.now();
  const terminal = home.openTerminal(project);
  await terminal.start(agent.interactive);
  await until(async () => (await terminal.screen()).includes('Is this a project you created'));
  const rings = async () => (await home.events(from)).filter(({ rangAt }) => rangAt !== null);
  const hasRung = await becomes(async () => (await rings()).length > 0, 30_000);
  await terminal.press('Down', 'Enter');
  await until(async () => agent.ready.test(await terminal.screen()));
  const isOver = await becomes(async () => !(await home.isAsked()), 5_000);
  const count = (await rings()).length;
  return [
    ...(hasRung && count === 1 ? [] : [`rang ${count} times`]),
    ...(isOver ? [] : ['still asked after the answer']),
  ];
}

async function printTrail(home: LiveHome, from: number): Promise<void> {
  for (const { view, turnMs, rangAt, payload } of await home.heard()) {
    if (Date.parse(view.at) < from - 1_000) continue;
    const rang = rangAt === null ? '' : `, rang ${rangAt - from} ms`;
    const last = view.decisions.at(-1)?.reason ?? '';
    process.stdout.write(
      `      +${Date.parse(view.at) - from} ms ${view.event} ${view.kind}, turn ${turnMs} ms${rang}: ${last}\n${payload.slice(0, 300)}\n`,
    );
  }
}

/** The program as the extension of an editor runs it: no terminal, and permissions asked on its streams. */
async function playEditor(
  home: LiveHome,
  program: string,
  agent: LiveAgent,
  model: string,
): Promise<Outcome> {
  const from = Date.now();
  const rings = async () => (await home.events(from)).filter(({ rangAt }) => rangAt !== null);
  const words = ['--output-format', 'stream-json', '--input-format', 'stream-json', '--verbose'];
  const child = spawn(program, [...words, '--permission-prompt-tool', 'stdio'], {
    cwd: home.projects[0],
    env: {
      HOME: home.home,
      PATH: process.env['PATH'] ?? '',
      LANG: 'C.UTF-8',
      CLAUDE_CODE_ENTRYPOINT: 'claude-vscode',
      ...agent.env({ home: home.home, projects: home.projects, model }),
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let askedAt: number | null = null;
  child.stdout.on('data', (bytes: Buffer) => {
    if (bytes.includes('can_use_tool')) askedAt ??= Date.now();
  });
  const message = { role: 'user', content: 'Write for the editor' };
  child.stdin.write(`${JSON.stringify({ type: 'user', message })}\n`);
  try {
    await until(() => askedAt !== null);
    await becomes(async () => (await rings()).length > 0, 10_000);
    await delay(DOUBLE_MS);
    const rung = await rings();
    const body = (await home.heard()).filter(({ rangAt }) => rangAt !== null).at(-1)?.body ?? '';
    const problems = [
      ...(rung.length === 1 ? [] : [`rang ${rung.length} times`]),
      ...(body.includes('touch editor.txt') ? [] : [`does not say what is asked: ${body}`]),
    ];
    return [problems, rung[0] === undefined ? null : (rung[0].rangAt ?? 0) - (askedAt ?? 0)];
  } finally {
    child.kill('SIGKILL');
  }
}

/** Runs each of our hooks every other time, as if it had been killed before it did anything. */
async function makeFlaky(path: string): Promise<void> {
  const settings = await readFile(path, 'utf8');
  const changed = settings.replaceAll(
    /"command": "([^"]*hookbell-hook[^"]*)"/g,
    (_, command: string) =>
      `"command": "[ $(($(date +%s%N) / 1000 % 2)) = 0 ] || exit 0; ${command}"`,
  );
  if (changed === settings) throw new Error('Our hooks are not registered');
  await writeFile(path, changed);
}

async function send(terminal: Terminal, prompt: string): Promise<void> {
  await terminal.type(prompt);
  await until(async () => (await terminal.screen()).includes(prompt));
  await delay(400);
  await terminal.press('Enter');
}

/** The screen shows earlier turns, too. */
function afterPrompt(screen: string, prompt: string): string {
  return screen.slice(Math.max(0, screen.lastIndexOf(prompt)));
}

async function startAgent(terminal: Terminal, agent: LiveAgent): Promise<void> {
  await terminal.start(agent.interactive);
  await until(async () => {
    const screen = await terminal.screen();
    const dialog = agent.dialogs.find(([shown]) => shown.test(screen));
    if (dialog !== undefined) await terminal.press(...dialog.slice(1).map(String));
    return dialog === undefined && agent.ready.test(screen);
  });
  await delay(500);
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  if (!(await becomes(holds, PATIENCE_MS)))
    throw new Error(`It did not come true: ${String(holds)}`);
}

async function becomes(holds: () => boolean | Promise<boolean>, ms: number): Promise<boolean> {
  for (const deadline = Date.now() + ms; Date.now() < deadline; await delay(40))
    if (await holds()) return true;
  return holds();
}
