import { HookbellError } from '../../platform/errors.ts';
import { agentGuide, checkAgent } from './agent.ts';
import {
  accountsGuide,
  analyticsGuide,
  apiGuide,
  checkAccounts,
  checkApi,
  reportsGuide,
} from './api.ts';
import { canaryGuide } from './canary.ts';
import { channelGuide, checkChannel, checkPresence, presenceGuide } from './channel.ts';
import { type Check, type CheckGuide, orTrouble, skipped } from './check.ts';
import {
  checkConfiguration,
  checkProject,
  checkSecrets,
  configurationGuide,
  projectGuide,
  secretsGuide,
} from './configuration.ts';
import { checkCommand, commandGuide, coverageGuides } from './coverage.ts';
import {
  checkDaemon,
  checkDaemonWarnings,
  checkDeliveries,
  checkHeartbeat,
  checkMutes,
  checkQuarantine,
  checkSpool,
  daemonGuide,
  type DaemonSight,
  deliveriesGuide,
  heartbeatGuide,
  lookAtDaemon,
  mutesGuide,
  quarantineGuide,
  spoolGuide,
  warningsGuide,
} from './daemon.ts';
import {
  checkEnvironment,
  checkLaunchScript,
  checkNodeVersion,
  checkProgram,
  checkService,
  environmentGuide,
  launchScriptGuide,
  nodeGuide,
  programGuide,
  serviceGuide,
} from './runtime.ts';
import type { DoctorPorts } from './ports.ts';
import {
  checkDisk,
  checkOwnership,
  checkPrivateDirectory,
  checkPrivateFiles,
  diskGuide,
  ownershipGuide,
  privateFilesGuide,
  spoolDirectoryGuide,
  stateDirectoryGuide,
} from './files.ts';
import { checkListen, checkRelay, listenGuide, relayGuide } from './remote.ts';
import { checkWitness, witnessGuide } from './witness.ts';
import { checkWords, wordsGuide } from './words.ts';

type Scene = DaemonSight & {
  readonly ports: DoctorPorts;
  readonly loaded: Awaited<ReturnType<DoctorPorts['loadConfig']>>;
};

/** A scene with a daemon that answers. */
type Answered = Scene & { readonly status: NonNullable<DaemonSight['status']> };

type Found = Check | readonly Check[] | Promise<Check | readonly Check[]>;

type Row =
  | { readonly guides: readonly CheckGuide[]; readonly run: (scene: Scene) => Found }
  | {
      readonly guides: readonly CheckGuide[];
      /** What is reported as skipped while no daemon answers; the names of the guides if left out. */
      readonly skip?: string;
      readonly ask: (scene: Answered) => Found;
    };

const CHANNELS_PATIENCE_MS = 30_000;

/** Every check of `hookbell doctor`, in the order shown. */
const rows: readonly Row[] = [
  { guides: [nodeGuide], run: ({ ports }) => checkNodeVersion(ports) },
  { guides: [programGuide], run: ({ ports }) => checkProgram(ports) },
  {
    guides: [stateDirectoryGuide],
    run: ({ ports }) => checkPrivateDirectory('state directory', ports.paths.state, ports),
  },
  {
    guides: [spoolDirectoryGuide],
    run: ({ ports }) => checkPrivateDirectory('spool directory', ports.paths.spool, ports),
  },
  { guides: [diskGuide], run: ({ ports }) => checkDisk(ports) },
  { guides: [privateFilesGuide], run: ({ ports }) => checkPrivateFiles(ports) },
  { guides: [launchScriptGuide], run: ({ ports }) => checkLaunchScript(ports) },
  { guides: [environmentGuide], run: ({ ports }) => checkEnvironment(ports) },
  { guides: [ownershipGuide], run: ({ ports }) => checkOwnership(ports) },
  { guides: [daemonGuide], run: (scene) => checkDaemon(scene, scene.ports) },
  {
    guides: [configurationGuide],
    run: (scene) => checkConfiguration(scene.loaded, scene, scene.ports),
  },
  {
    guides: [secretsGuide],
    run: ({ loaded, ports }) =>
      loaded.ok
        ? checkSecrets(loaded.config, ports)
        : secretsGuide.skipped('the configuration cannot be read'),
  },
  { guides: [projectGuide], run: ({ ports }) => checkProject(ports) },
  { guides: [spoolGuide], run: (scene) => checkSpool(scene, scene.ports) },
  { guides: [quarantineGuide], ask: ({ status, ports }) => checkQuarantine(status, ports) },
  { guides: [wordsGuide], ask: ({ ports }) => checkWords(ports) },
  { guides: [witnessGuide], ask: ({ ports }) => checkWitness(ports) },
  { guides: [deliveriesGuide], ask: ({ status }) => checkDeliveries(status) },
  { guides: [mutesGuide], ask: ({ status, ports }) => checkMutes(status, ports.now()) },
  { guides: [accountsGuide], ask: ({ ports }) => checkAccounts(ports) },
  { guides: [warningsGuide], ask: ({ status }) => checkDaemonWarnings(status) },
  { guides: [heartbeatGuide], ask: ({ status }) => checkHeartbeat(status) },
  { guides: [relayGuide], ask: ({ status, ports }) => checkRelay(status, ports) },
  {
    guides: [listenGuide],
    ask: ({ status, loaded }) => checkListen(status, loaded.ok ? loaded.config : undefined),
  },
  { guides: [agentGuide], run: checkAgents },
  { guides: [channelGuide], skip: 'channels', ask: checkChannels },
  { guides: [presenceGuide], ask: ({ ports }) => checkPresence(ports) },
  { guides: [apiGuide, analyticsGuide, reportsGuide], ask: ({ ports }) => checkApi(ports) },
  { guides: [commandGuide], run: ({ ports }) => checkCommand(ports) },
  { guides: [serviceGuide], run: ({ ports }) => checkService(ports) },
];

/** Every check of `doctor`, by the command that runs it, in the order shown. */
export const checkGuides: Readonly<Record<string, readonly CheckGuide[]>> = {
  'hookbell doctor': rows.flatMap(({ guides }) => guides),
  'hookbell doctor --canary': [canaryGuide],
  'hookbell doctor --coverage': [...coverageGuides],
};

/** Checks everything hookbell depends on. Continues after every finding, with or without a daemon. */
export async function examine(ports: DoctorPorts): Promise<readonly Check[]> {
  const sight = await lookAtDaemon(ports);
  const { status } = sight;
  const scene = { ...sight, ports, loaded: await ports.loadConfig() };
  const checks: Check[] = [];
  for (const row of rows) {
    if ('run' in row) checks.push(...[await row.run(scene)].flat());
    else if (status !== null) checks.push(...[await row.ask({ ...scene, status })].flat());
    else checks.push(...withoutDaemon(row.skip === undefined ? row.guides : [{ name: row.skip }]));
  }
  return checks;
}

function withoutDaemon(names: readonly Pick<CheckGuide, 'name'>[]): readonly Check[] {
  return names.map(({ name }) => skipped(name, 'the daemon does not answer'));
}

async function checkAgents({ status, ports }: Scene): Promise<readonly Check[]> {
  const lastEvents = status === null ? null : await ports.ask('GET /v1/agents');
  return Promise.all(
    ports.agents.map(async (agent) =>
      checkAgent(agent, await ports.inspectHooks(agent), lastEvents, ports),
    ),
  );
}

async function checkChannels({ status, ports: { ask } }: Answered): Promise<readonly Check[]> {
  const channels = await orTrouble(ask('GET /v1/channels', { timeoutMs: CHANNELS_PATIENCE_MS }));
  if (channels instanceof HookbellError) {
    const check = channelGuide.named('channels').found('unasked', channels.message);
    return [{ ...check, hint: channels.hint }];
  }
  return channels.map((view) =>
    checkChannel(view, status.channels.find(({ name }) => name === view.channel) ?? null),
  );
}
