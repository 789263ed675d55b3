import type { Config } from '../../src/config/config.ts';
import type { ControlAnswers } from '../../src/control/contract.ts';
import { DaemonUnreachableError } from '../../src/platform/errors.ts';
import { resolvePaths } from '../../src/core/paths.ts';
import type { DoctorPorts, FileFacts } from '../../src/cli/doctor/ports.ts';
import { samplePolicy } from './decisions.ts';
import { sampleStatusView } from './sample-views.ts';

export const privateDirectory: FileFacts = { type: 'directory', mode: 0o700, uid: 1000 };
export const privateFile: FileFacts = { type: 'file', mode: 0o600, uid: 1000 };

/** A configuration that holds nothing; name only the fields the test is about. */
export function sampleConfig(fields: Partial<Config> = {}): Config {
  return {
    path: '/home/dev/.config/hookbell/config.yaml',
    exists: true,
    channels: [],
    policy: { ...samplePolicy, routes: [], plans: {}, programChannels: [] },
    answers: {
      hold: {
        agents: { claude: 'open', opencode: 'open', codex: 'away', qwen: 'away', program: 'open' },
        subagents: { claude: 'away' },
      },
      mcpQuestions: 1,
      throughHub: true,
    },
    commands: { longerThanMs: 30_000, ignore: [] },
    templates: { title: {}, body: {} },
    history: { keepMs: 1, maxBytes: 1 },
    redact: { notifications: true, history: false, prefixes: [], keys: [] },
    heartbeat: null,
    witness: true,
    caFile: null,
    authorities: null,
    workingHours: () => ({ from: 540, to: 1_080, timezone: 'UTC', days: [1, 2, 3, 4, 5] }),
    metrics: null,
    page: null,
    replyPage: null,
    relay: null,
    hub: null,
    listen: null,
    api: null,
    budget: null,
    digest: null,
    watch: { sessions: null, computers: null, readiness: null, controls: null },
    raw: {},
    store: null,
    plainSecrets: [],
    ...fields,
  };
}

export interface Machine extends Partial<Omit<DoctorPorts, 'ask' | 'lookAt' | 'isExecutable'>> {
  /** What the daemon answers; without an answer to "GET /v1/status" there is none. */
  readonly answers?: Partial<ControlAnswers>;
  readonly files?: Readonly<Record<string, FileFacts>>;
  readonly programs?: readonly string[];
}

/** A machine on which only the program is installed and no daemon runs, but for what the test names. */
export function doctorPorts({
  answers = {},
  files = {},
  programs = [],
  ...fields
}: Machine = {}): DoctorPorts {
  return {
    now: () => Date.parse('2026-03-01T10:04:00.000Z'),
    wait: () => Promise.resolve(),
    nodeVersion: '20.19.0',
    version: '0.1.0',
    copyVersion: '0.1.0',
    runsByNpx: false,
    paths: resolvePaths({}, 'linux', '/home/dev'),
    uid: 1000,
    platform: 'linux',
    ignoredVariables: [],
    launchState: () => 'ok',
    searchPath: ['/usr/bin'],
    ask: (name) => {
      const answer = answers[name];
      return answer === undefined
        ? Promise.reject(new DaemonUnreachableError('Cannot reach the daemon: it is not running'))
        : Promise.resolve(answer);
    },
    lookAt: (path) => Promise.resolve(files[path] ?? null),
    writeTrouble: () => null,
    whyForeign: () => Promise.resolve(null),
    namesIn: () => Promise.resolve([]),
    isExecutable: (path) => Promise.resolve(programs.includes(path)),
    loadConfig: () => Promise.resolve({ ok: true, config: sampleConfig(), warnings: [] }),
    readSecretFile: () => Promise.resolve('secret'),
    project: () => Promise.resolve({ file: null, trusted: new Map() }),
    agents: [],
    inspectHooks: () => Promise.reject(new Error('There is no agent to inspect')),
    service: null,
    run: () => Promise.resolve({ ok: true, message: '' }),
    ...fields,
  };
}

/** The daemon as `lookAtDaemon` sees it; name only the fields the test is about. */
export function runningDaemon(fields: Parameters<typeof sampleStatusView>[0] = {}) {
  return { status: sampleStatusView(fields) };
}

export const noDaemon = { status: null, reason: 'it is not running' };
