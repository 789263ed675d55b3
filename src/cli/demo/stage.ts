import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { FailedError } from '../../platform/errors.ts';
import { resolvePaths } from '../../core/paths.ts';
import { programFile } from '../../core/program-files.ts';
import { busAddress } from '../../platform/dbus/bus-address.ts';
import { type Mock, startMock } from '../../vendor/reference-service/reference-server.ts';
import type { DemoPayload } from './cast.ts';
import { type DemoDaemon, handleDaemon } from './demo-daemon.ts';
import { pretendDesktop } from './pretend-desktop.ts';
import { pretendSlack } from './pretend-slack.ts';

/** A message that a channel received. */
export interface Heard {
  readonly channel: 'desktop' | 'team';
  readonly action: 'rings' | 'withdraws';
  /** Of a withdrawal the title of the pop-up that was shown. */
  readonly title: string;
  readonly body: string;
}

/** A temporary home directory with the real hook, a real daemon, and simulated channels. */
export interface DemoStage extends Omit<DemoDaemon, 'end' | 'expectStart'>, AsyncDisposable {
  readonly home: string;
  readonly mock: Mock;
  /** Everything so far, in order of each channel. */
  readonly heard: () => Promise<readonly Heard[]>;
  /** Ids of the events the log file has, in order. */
  readonly logged: () => Promise<readonly string[]>;
  /** Runs the real hook, as an agent would. */
  readonly runHook: (agent: string, payload: DemoPayload) => Promise<void>;
}

export interface StageOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly tempo: Tempo;
  /** Also shows the pop-ups on the user's desktop. */
  readonly showOnDesktop: boolean | undefined;
  /** Keeps the home directory afterwards. */
  readonly keep: boolean | undefined;
}

/** Sets the stage; disposing of it ends all processes and servers and removes all files. */
export async function setStage(options: StageOptions): Promise<DemoStage> {
  const releases: (() => Promise<unknown>)[] = [];
  const release = async (): Promise<void> => {
    for (const each of releases.splice(0).toReversed()) await each();
  };
  try {
    return { ...(await build(options, releases)), [Symbol.asyncDispose]: release };
  } catch (error) {
    await release();
    throw error;
  }
}

/** @param releases receives the cleanup of each resource once it exists */
async function build(
  { env, tempo, showOnDesktop, keep }: StageOptions,
  releases: (() => Promise<unknown>)[],
): Promise<Omit<DemoStage, typeof Symbol.asyncDispose>> {
  const home = await mkdtemp(join(tmpdir(), 'hookbell-demo-'));
  if (keep !== true) {
    releases.push(() => rm(home, { recursive: true, force: true, maxRetries: 5 }));
  }
  const mock = await startMock({ now: Date.now });
  releases.push(() => mock.close());
  const slack = await pretendSlack();
  releases.push(() => slack.close());
  const desktop = await pretendDesktop(home, showOnDesktop === true ? busAddress(env) : null);
  releases.push(async () => desktop[Symbol.asyncDispose]());

  const ownEnv = {
    HOME: home,
    PATH: env['PATH'] ?? '',
    LANG: env['LANG'] ?? 'C.UTF-8',
    // Nothing may appear by mistake on the desktop of a user who did not ask for it.
    DBUS_SESSION_BUS_ADDRESS: desktop.address,
  };
  releases.push(() => desktop.clear());
  const paths = resolvePaths(ownEnv, process.platform, home);
  const log = join(home, 'log.jsonl');
  await mkdir(dirname(paths.config), { recursive: true, mode: 0o700 });
  const places = { webhook: slack.webhook, log, api: mock };
  await writeFile(paths.config, configurationText(tempo, places), { mode: 0o600 });
  const { end, expectStart, ...daemon } = handleDaemon(paths, ownEnv);
  releases.push(end);

  return {
    home,
    mock,
    ...daemon,
    async heard() {
      return [
        ...desktop.notes.map(({ action, title, body }): Heard => ({
          channel: 'desktop',
          action,
          title,
          body,
        })),
        ...slack.messages.map(heardByTeam),
      ];
    },
    logged: async () => eventIdsIn(await readFile(log, 'utf8').catch(() => '')),
    runHook(agent, payload) {
      expectStart();
      return runHook(agent, payload, { env: ownEnv, home, state: paths.state });
    },
  };
}

/** Slack's plain text: the title, a line feed, the body. */
function heardByTeam(text: string): Heard {
  const [title = '', ...body] = text.split('\n');
  return { channel: 'team', action: 'rings', title, body: body.join('\n') };
}

function eventIdsIn(lines: string): readonly string[] {
  return lines
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const { eventId }: { readonly eventId: string } = JSON.parse(line);
      return eventId;
    });
}

async function runHook(
  agent: string,
  payload: DemoPayload,
  {
    env,
    home,
    state,
  }: {
    readonly env: Readonly<Record<string, string>>;
    readonly home: string;
    readonly state: string;
  },
): Promise<void> {
  const hook = programFile('shellHook');
  const child = spawn(hook, ['--state', state, '--agent', agent], {
    env,
    cwd: home,
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

/** How long things take in the demo, ms. */
export interface Tempo {
  /** From an unanswered question to the message to the team. */
  readonly escalationMs: number;
  /** Notifications within this time after another one are sent together. */
  readonly burstMs: number;
  /** How long the end of a turn waits while the session runs. */
  readonly holdMs: number;
}

/** @param speed 2: twice as fast */
export function tempoOf(speed: number): Tempo {
  return {
    escalationMs: Math.round(3_000 / speed),
    burstMs: Math.round(1_000 / speed),
    holdMs: 2_000,
  };
}

/** The configuration of the demo: JSON, which is YAML. */
function configurationText(
  { escalationMs, burstMs, holdMs }: Tempo,
  places: {
    readonly webhook: string;
    readonly log: string;
    readonly api: Pick<Mock, 'baseUrl' | 'appUrl' | 'keys'>;
  },
): string {
  const { baseUrl, appUrl, keys } = places.api;
  const configuration = {
    channels: {
      desktop: { type: 'desktop', rung: 'dbus' },
      team: { type: 'slack', webhook: places.webhook, allow_any_host: true },
      log: { type: 'file', path: places.log },
    },
    plans: {
      escalate: [{ notify: ['desktop', 'log'] }, { after: `${escalationMs}ms`, notify: 'team' }],
      tell: [{ notify: ['desktop', 'log'] }],
    },
    routes: [
      { match: { kind: 'waiting' }, plan: 'escalate' },
      { match: { kind: 'turn.done' }, plan: 'tell' },
    ],
    noise: { burst: { window: `${burstMs}ms` } },
    // The demo shows the plans: whether a user watches a terminal must not change it.
    presence: { when_watching: 'ring' },
    alerts: { settle: 0 },
    api: {
      base_url: baseUrl,
      app_url: appUrl,
      key: keys.owner,
      hold_stop_while_running: `${holdMs}ms`,
    },
  };
  return `${JSON.stringify(configuration, null, 2)}\n`;
}
