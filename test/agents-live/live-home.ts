import { execFile } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { chmod, cp, lstat, mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

import type { HistoryView } from '../../src/control/contract.ts';
import type { HookFacts } from '../../src/core/facts.ts';
import { resolvePaths } from '../../src/core/paths.ts';
import { callDaemon } from '../../src/control/control-client.ts';
import { projectRoot } from '../support/hookbell-home.ts';
import { openHttpEndpoint } from '../support/http-endpoint.ts';
import type { Finished } from '../support/run-process.ts';
import { runProcess } from '../support/run-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import type { LiveAgent } from './live-agent.ts';
import { allowingHook } from './live-agent.ts';
import { packageFolder } from './programs.ts';
import { LONG_TURN_MS, SETTLE_MS } from './scenarios.ts';

/** An event that came in: where it stands in history, its payload, and when the person was notified of it, if so. */
export interface Heard {
  readonly view: HistoryView;
  readonly body: string;
  readonly payload: string;
  readonly facts: HookFacts;
  /** How long the agent worked in the turn that it ended, ms; null where it ended none. */
  readonly turnMs: number | null;
  readonly rangAt: number | null;
}

/** A home directory with an agent and hookbell in it, registered by its own "install". */
export interface LiveHome extends AsyncDisposable {
  readonly home: string;
  readonly projects: readonly string[];
  /** The events that have come in since then, Unix ms. */
  events(since: number): Promise<readonly (Pick<HistoryView, 'kind'> & Pick<Heard, 'rangAt'>)[]>;
  /** Whether a request waits for an answer, as far as hookbell knows. */
  isAsked(): Promise<boolean>;
  /** Settles when no event has come in for this time, ms. */
  quiet(forMs: number): Promise<void>;
  /** What came in, the oldest first. */
  heard(): Promise<readonly Heard[]>;
  openTerminal(project: string): Terminal;
  headless(words: readonly string[]): Promise<Finished>;
  /** Copies its files into a directory, to look into them after the run. */
  copyTo(directory: string): Promise<void>;
}

/** A terminal of a real tmux, with a program in it. */
export interface Terminal {
  /** The directory in which the program works. */
  readonly project: string;
  start(words: readonly string[]): Promise<void>;
  type(text: string): Promise<void>;
  press(...keys: readonly string[]): Promise<void>;
  screen(): Promise<string>;
  hasEnded(): Promise<boolean>;
  /** Kills the program and what it started. */
  kill(): Promise<void>;
}

/** A hook of another product, which gives the permission for what has these words in it. */
const allowingScript = `#!/bin/sh
grep -q allowed-by-hook || exit 0
printf '%s\\n' '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}'
`;

const run = promisify(execFile);

/** How many quiet periods to wait at most for an agent that keeps writing. */
const QUIET_ROUNDS = 20;

/** The keys that tmux has a name for; anything longer than a letter that is none of them is text. */
const namedKey = /^(?:Enter|Escape|Up|Down|Left|Right|Tab|BTab|Space|C-[a-z])$/;

/**
 * @param program the agent's
 * @param model the address of the scripted model
 */
export async function openLiveHome(
  agent: LiveAgent,
  program: string,
  model: string,
): Promise<LiveHome> {
  const directory = await temporaryDirectory();
  const home = join(directory.path, 'home');
  const projects = ['shop', 'depot'].map((name) => join(home, name));
  for (const path of projects) await mkdir(path, { recursive: true, mode: 0o700 });
  const around = { home, projects, model };
  const basic = {
    HOME: home,
    PATH: process.env['PATH'] ?? '',
    LANG: 'C.UTF-8',
    TMPDIR: directory.path,
  };
  const node = agent.node && join(packageFolder(agent.node), 'node_modules', agent.node.npm, 'bin');
  const PATH = node === undefined ? basic.PATH : `${node}:${basic.PATH}`;
  const env = { ...basic, PATH, SHELL: '/bin/sh', ...agent.env(around) };
  const paths = resolvePaths(basic, process.platform, home);
  const person = await openHttpEndpoint();

  const cli = (...words: readonly string[]): Promise<Finished> =>
    runProcess(process.execPath, [join(projectRoot, 'dist/program/cli.js'), ...words], {
      env: basic,
    });

  for (const [path, content] of Object.entries(agent.files(around)))
    await write(join(home, path), content);
  if (agent.companion !== undefined) {
    const from = packageFolder(agent.companion);
    await cp(from, join(home, agent.companion.folder), { recursive: true });
  }
  await write(join(home, allowingHook), allowingScript);
  await chmod(join(home, allowingHook), 0o700);
  await write(join(home, 'webhook'), `${person.url}/services/person`);
  await write(paths.config, configuration(home));
  const install = () => cli('install', '--yes', '--no-service', '--agent', agent.agent);
  let installed = await install();
  // On a busy machine its daemon may only be there the second time.
  if (installed.code !== 0) installed = await install();
  if (installed.code !== 0) {
    await person[Symbol.asyncDispose]();
    throw new Error(`Cannot install hookbell: ${installed.stderr}`);
  }
  const socket = join(directory.path, 'tmux');
  const tmux = async (...words: readonly string[]): Promise<string> => {
    const { stdout } = await run('tmux', ['-f', '/dev/null', '-S', socket, ...words], {
      env: { ...env, TERM: 'xterm-256color' },
    });
    return stdout;
  };

  function openTerminal(project: string): Terminal {
    const name = project.split('/').at(-1) ?? project;
    const pane = `=${name}:0.0`;
    return {
      project,
      async start(words) {
        const command = [program, ...words];
        const at = ['-c', project, '--', ...command];
        const exists = await tmux('has-session', '-t', `=${name}`).then(
          () => true,
          () => false,
        );
        if (exists) {
          await tmux('respawn-pane', '-k', '-t', pane, ...at);
          return;
        }
        await tmux('new-session', '-d', '-s', name, '-x', '130', '-y', '45', ...at);
        await tmux('set', '-g', 'remain-on-exit', 'on');
      },
      type: async (text) => void (await tmux('send-keys', '-t', pane, '-l', text)),
      async press(...keys) {
        for (const key of keys) {
          if (namedKey.test(key) || key.length === 1) await tmux('send-keys', '-t', pane, key);
          else await tmux('send-keys', '-t', pane, '-l', key);
          await delay(250);
        }
      },
      screen: () => tmux('capture-pane', '-p', '-t', pane),
      hasEnded: async () =>
        (
          await tmux('display-message', '-p', '-t', pane, '#{pane_dead}').catch(() => '1')
        ).trim() === '1',
      async kill() {
        const pid = Number(await tmux('display-message', '-p', '-t', pane, '#{pane_pid}'));
        for (const one of [...descendants(pid), pid]) killNow(one);
      },
    };
  }

  /** The newest first. */
  async function history(
    asked: Readonly<Record<string, string>> = {},
  ): Promise<readonly HistoryView[]> {
    return callDaemon(paths, 'GET /v1/history', { query: { limit: '1000', ...asked } });
  }

  return {
    home,
    projects,
    async events(since) {
      const found = await history({ since: String(since) });
      return found.map((view) => ({ kind: view.kind, rangAt: rangAt(view) }));
    },
    isAsked: async () => (await callDaemon(paths, 'GET /v1/alerts')).length > 0,
    async quiet(forMs) {
      const deadline = Date.now() + forMs * QUIET_ROUNDS;
      let last = '';
      for (let since = Date.now(); Date.now() - since < forMs && Date.now() < deadline;) {
        const [view] = await history({ limit: '1' });
        const waiting = await readdir(paths.spool).catch(() => []);
        const now = `${view?.eventId ?? ''} ${waiting.join(' ')}`;
        if (now !== last) since = Date.now();
        last = now;
        await delay(100);
      }
    },
    async heard() {
      const found: Heard[] = [];
      for (const view of (await history()).toReversed()) {
        const { body, payload, facts, turnMs } = await callDaemon(paths, 'GET /v1/events', {
          part: view.eventId,
        });
        found.push({ view, body, payload, facts, turnMs, rangAt: rangAt(view) });
      }
      return found;
    },
    openTerminal,
    headless: (words) =>
      runProcess('timeout', ['--kill-after=1', '180', program, ...words], {
        env,
        cwd: projects[0] ?? home,
      }),
    copyTo: (to) =>
      cp(home, to, {
        recursive: true,
        // Sockets cannot be copied.
        filter: async (path) => {
          const found = await lstat(path);
          return found.isFile() || found.isDirectory();
        },
      }),
    async [Symbol.asyncDispose]() {
      await tmux('kill-server').catch(() => '');
      await cli('stop');
      // What an agent left behind, such as the daemon of Codex, has this home directory in its environment.
      for (const pid of livingIn(home)) killNow(pid);
      await person[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

/** When the person was notified of an event, Unix ms. */
function rangAt({ deliveries }: HistoryView): number | null {
  const sent = deliveries.find(({ channel, sentAt }) => channel === 'person' && sentAt !== null);
  return sent?.sentAt == null ? null : Date.parse(sent.sentAt);
}

/** The policy people start with, but short turns count as long, and nothing joins or softens notifications. */
function configuration(folder: string): string {
  return `channels:
  person: { type: slack, webhook: { file: ${folder}/webhook }, allow_any_host: true, rate: { burst: 100, every: 10ms } }
  log: { type: file, path: ${folder}/rings.jsonl }
routes:
  - { match: { severity: [warning, critical] }, notify: [person, log] }
  - { match: { kind: turn.done, longer_than: ${LONG_TURN_MS / 1_000}s }, notify: [person, log] }
noise: { burst: { at_once: 100, window: 1s }, per_session: 1000, per_channel: 1000 }
presence: { when_watching: ring }
alerts: { settle: ${SETTLE_MS / 1_000}s }
`;
}

async function write(path: string, content: object | string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content, null, 2), {
    mode: 0o600,
  });
}

function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone already.
  }
}

function processes(): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** The processes below one, the nearest first. */
function descendants(pid: number): readonly number[] {
  const children = processes().filter((one) => {
    const stat = read(`/proc/${one}/stat`);
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === pid;
  });
  return children.flatMap((child) => [child, ...descendants(child)]);
}

function livingIn(home: string): readonly number[] {
  return processes().filter(
    (pid) =>
      pid !== process.pid && read(`/proc/${pid}/environ`).split('\0').includes(`HOME=${home}`),
  );
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
