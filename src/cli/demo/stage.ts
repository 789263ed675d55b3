import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { execa } from 'execa';

import { callDaemon } from '../../control/control-client.ts';
import { type Paths, resolvePaths } from '../../core/paths.ts';
import { hookArguments, programFile } from '../../platform/program-files.ts';
import { FailedError } from '../../platform/errors.ts';
import { listenOnLoopback, type LoopbackServer } from '../../platform/http/http-server.ts';
import { processExists } from '../../platform/process-table.ts';
import { pollUntil } from '../../platform/time.ts';
import type { CommandContext } from '../context.ts';
import { findDaemon } from '../../control/stop-daemon.ts';

const READY_MS = 15_000;

/** A temporary home directory with the real hook and a real daemon, whose channels send to a server of the demo. */
export type DemoStage = Awaited<ReturnType<typeof stageIn>>;

interface StageOptions {
  readonly env: NodeJS.ProcessEnv;
  /** From an unanswered question to the message to the team, ms. */
  readonly escalationMs: number;
  /** Notifications within this time after another one are sent together, ms. */
  readonly burstMs: number;
  /** Keeps the home directory afterwards. */
  readonly keep: boolean;
}

/** Sets the stage; disposing of it ends the daemon and the server, and removes all files. */
export async function setStage(options: StageOptions): Promise<DemoStage> {
  const home = await mkdtemp(join(tmpdir(), 'hookbell-demo-'));
  const remove = () =>
    options.keep ? Promise.resolve() : rm(home, { recursive: true, force: true, maxRetries: 5 });
  try {
    // Accepts every message, as the servers of Slack would.
    const service = await listenOnLoopback(
      { host: '127.0.0.1', port: 0 },
      () => (request, response) => {
        request.resume().once('end', () => response.end('ok'));
      },
    );
    return await stageIn(home, service, options, remove);
  } catch (error) {
    await remove();
    throw error;
  }
}

async function stageIn(
  home: string,
  service: LoopbackServer,
  options: StageOptions,
  remove: () => Promise<void>,
) {
  const { PATH = '', LANG = 'C.UTF-8' } = options.env;
  const env = { HOME: home, USERPROFILE: home, PATH, LANG };
  const paths = resolvePaths(env, process.platform, home);
  await mkdir(dirname(paths.config), { recursive: true, mode: 0o700 });
  await writeFile(paths.config, configurationText(options, service.origin), { mode: 0o600 });
  const ask: CommandContext['ask'] = (name, call) => callDaemon(paths, name, call);
  const hookbell = (command: string) =>
    execa(process.execPath, [programFile('commandLine'), command], {
      env,
      extendEnv: false,
      cwd: home,
      reject: false,
    });
  // Whether a daemon runs, or a hook may be starting one.
  let isExpected = false;

  async function awaitDaemon(): Promise<number> {
    const daemon = await pollUntil(() => findDaemon({ ask }), READY_MS);
    if (daemon === null) throw notStarted(paths);
    return daemon.pid;
  }

  return {
    home,
    ask,
    runHook(agent: string, payload: Readonly<Record<string, unknown>>) {
      isExpected = true;
      return runHook(['--state', paths.state, '--agent', agent], payload, { env, cwd: home });
    },
    /** Starts the daemon, or waits for the one that a hook has started. @returns its process id */
    async startDaemon() {
      isExpected = true;
      if ((await hookbell('start')).failed) throw notStarted(paths);
      return awaitDaemon();
    },
    awaitDaemon,
    /** Kills it as a crash would, with no time to save anything. @returns its process id */
    async killDaemon() {
      const pid = await awaitDaemon();
      process.kill(pid, 'SIGKILL');
      // Its socket closes shortly before it is gone, and until then a hook sees a live daemon.
      const gone = await pollUntil(() => Promise.resolve(!processExists(pid) || null), READY_MS);
      if (gone === null) throw new FailedError(`The daemon (pid ${pid}) survived SIGKILL`);
      isExpected = false;
      return pid;
    },
    async [Symbol.asyncDispose]() {
      // Wait until it runs, because it could not be found afterwards: without its home it would create a new one.
      if (isExpected) await pollUntil(() => findDaemon({ ask }).catch(() => null), 2_000);
      await hookbell('stop');
      await service.close();
      await remove();
    },
  };
}

function notStarted(paths: Paths): FailedError {
  return new FailedError('The daemon of the demo did not start', {
    hint: `Run the demo with --keep and see its log: ${paths.log}`,
  });
}

async function runHook(
  words: readonly string[],
  payload: Readonly<Record<string, unknown>>,
  place: { readonly env: Readonly<Record<string, string>>; readonly cwd: string },
): Promise<void> {
  const [hook, ...first] = hookArguments();
  const options = { ...place, windowsHide: true };
  const child = spawn(hook, [...first, ...words], {
    ...options,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(JSON.stringify(payload));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', (cause) => reject(new FailedError(`Cannot run "${hook}"`, { cause })));
    child.once('exit', resolve);
  });
  if (code !== 0) throw new FailedError(`The hook ended with ${code}, expected 0`);
}

/** The configuration of the demo: JSON, which is YAML. */
function configurationText({ escalationMs, burstMs }: StageOptions, origin: string): string {
  // Slack's webhooks stand for both channels, because anything else needs a desktop or an account.
  const channel = (name: string) => {
    return { type: 'slack', webhook: `${origin}/${name}`, allow_any_host: true };
  };
  const configuration = {
    channels: { desktop: channel('desktop'), team: channel('team') },
    plans: {
      escalate: [{ notify: 'desktop' }, { after: `${escalationMs}ms`, notify: 'team' }],
      once: [{ notify: 'desktop' }],
    },
    routes: [
      { match: { kind: 'waiting' }, plan: 'escalate' },
      { match: { kind: 'turn.done' }, plan: 'once' },
    ],
    noise: { burst: { window: `${burstMs}ms` } },
    // The demo shows the plans: whether a user watches a terminal must not change it.
    presence: { when_watching: 'ring' },
    alerts: { settle: 0 },
  };
  return `${JSON.stringify(configuration, null, 2)}\n`;
}
