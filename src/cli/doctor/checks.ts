import { HookbellError } from '../../platform/errors.ts';
import { agentGuide, checkAgent } from './agent.ts';
import * as api from './api.ts';
import { canaryGuide } from './canary.ts';
import { channelGuide, checkChannel, checkPresence, presenceGuide } from './channel.ts';
import { type Check, type CheckGuide, orTrouble, skipped } from './check.ts';
import * as configuration from './configuration.ts';
import { checkCommand, commandGuide, coverageGuides } from './coverage.ts';
import * as daemon from './daemon.ts';
import * as files from './files.ts';
import type { DoctorPorts } from './ports.ts';
import { checkListen, checkRelay, listenGuide, relayGuide } from './remote.ts';
import * as runtime from './runtime.ts';
import { checkWitness, witnessGuide } from './witness.ts';
import { checkWords, wordsGuide } from './words.ts';

type Scene = daemon.DaemonSight & {
  readonly ports: DoctorPorts;
  readonly loaded: Awaited<ReturnType<DoctorPorts['loadConfig']>>;
};

/** A scene with a daemon that answers. */
type Answered = Scene & { readonly status: NonNullable<Scene['status']> };

type Found = Check | readonly Check[] | Promise<Check | readonly Check[]>;

type Row =
  | { readonly guides: readonly CheckGuide[]; readonly run: (scene: Scene) => Found }
  | {
      readonly guides: readonly CheckGuide[];
      /** What is reported as skipped while no daemon answers, instead of the names of the guides. */
      readonly skip: string;
      readonly ask: (scene: Answered) => Found;
    }
  | { readonly guides: readonly CheckGuide[]; readonly ask: (scene: Answered) => Found };

const CHANNELS_PATIENCE_MS = 30_000;

/** Every check of `hookbell doctor`, in the order shown. */
const rows: readonly Row[] = [
  { guides: [runtime.nodeGuide], run: ({ ports }) => runtime.checkNodeVersion(ports) },
  { guides: [runtime.programGuide], run: ({ ports }) => runtime.checkProgram(ports) },
  {
    guides: [files.stateDirectoryGuide],
    run: ({ ports }) => files.checkPrivateDirectory('state directory', ports.paths.state, ports),
  },
  {
    guides: [files.spoolDirectoryGuide],
    run: ({ ports }) => files.checkPrivateDirectory('spool directory', ports.paths.spool, ports),
  },
  { guides: [files.diskGuide], run: ({ ports }) => files.checkDisk(ports) },
  { guides: [files.privateFilesGuide], run: ({ ports }) => files.checkPrivateFiles(ports) },
  { guides: [runtime.launchScriptGuide], run: ({ ports }) => runtime.checkLaunchScript(ports) },
  { guides: [runtime.environmentGuide], run: ({ ports }) => runtime.checkEnvironment(ports) },
  { guides: [files.ownershipGuide], run: ({ ports }) => files.checkOwnership(ports) },
  { guides: [daemon.daemonGuide], run: (scene) => daemon.checkDaemon(scene, scene.ports) },
  {
    guides: [configuration.configurationGuide],
    run: (scene) => configuration.checkConfiguration(scene.loaded, scene, scene.ports),
  },
  {
    guides: [configuration.secretsGuide],
    run: ({ loaded, ports }) =>
      loaded.ok
        ? configuration.checkSecrets(loaded.config, ports)
        : configuration.secretsGuide.skipped('the configuration cannot be read'),
  },
  { guides: [configuration.projectGuide], run: ({ ports }) => configuration.checkProject(ports) },
  { guides: [daemon.spoolGuide], run: (scene) => daemon.checkSpool(scene, scene.ports) },
  {
    guides: [daemon.quarantineGuide],
    ask: ({ status, ports }) => daemon.checkQuarantine(status, ports),
  },
  { guides: [wordsGuide], ask: ({ ports }) => checkWords(ports) },
  { guides: [witnessGuide], ask: ({ ports }) => checkWitness(ports) },
  { guides: [daemon.deliveriesGuide], ask: ({ status }) => daemon.checkDeliveries(status) },
  {
    guides: [daemon.mutesGuide],
    ask: ({ status, ports }) => daemon.checkMutes(status, ports.now()),
  },
  { guides: [api.accountsGuide], ask: ({ ports }) => api.checkAccounts(ports) },
  { guides: [daemon.warningsGuide], ask: ({ status }) => daemon.checkDaemonWarnings(status) },
  { guides: [daemon.heartbeatGuide], ask: ({ status }) => daemon.checkHeartbeat(status) },
  { guides: [relayGuide], ask: ({ status, ports }) => checkRelay(status, ports) },
  {
    guides: [listenGuide],
    ask: ({ status, loaded, ports }) =>
      checkListen(status, loaded.ok ? loaded.config : { hub: null }, ports),
  },
  { guides: [agentGuide], run: checkAgents },
  { guides: [channelGuide], skip: 'channels', ask: checkChannels },
  { guides: [presenceGuide], ask: ({ ports }) => checkPresence(ports) },
  {
    guides: [api.apiGuide, api.analyticsGuide, api.reportsGuide],
    ask: ({ ports }) => api.checkApi(ports),
  },
  { guides: [commandGuide], run: ({ ports }) => checkCommand(ports) },
  { guides: [runtime.serviceGuide], run: ({ ports }) => runtime.checkService(ports) },
];

/** What a hub without agents does not need: its people install their hooks elsewhere. */
const ofHooks: readonly CheckGuide[] = [runtime.launchScriptGuide, agentGuide, commandGuide];

/** Every check of `doctor`, by the command that runs it, in the order shown. */
export const checkGuides: Readonly<Record<string, readonly CheckGuide[]>> = {
  'hookbell doctor': rows.flatMap(({ guides }) => guides),
  'hookbell doctor --canary': [canaryGuide],
  'hookbell doctor --coverage': [...coverageGuides],
};

/** Checks everything hookbell depends on. Continues after every finding, with or without a daemon, or one that restarts meanwhile. */
export async function examine(ports: DoctorPorts): Promise<readonly Check[]> {
  const sight = await daemon.lookAtDaemon(ports);
  const scene = { ...sight, ports, loaded: await ports.loadConfig() };
  const isHub = scene.loaded.ok && scene.loaded.config.hub !== null && !(await hasHooks(ports));
  const checks: Check[] = [];
  for (const row of rows) {
    if (isHub && row.guides.some((guide) => ofHooks.includes(guide))) continue;
    const found = await orTrouble(lookAt(row, scene));
    if (found !== null && !(found instanceof HookbellError)) checks.push(...[found].flat());
    else {
      const names = 'skip' in row ? [row.skip] : row.guides.map(({ name }) => name);
      const why = found?.message ?? 'the daemon does not answer';
      checks.push(...names.map((name) => skipped(name, why)));
    }
  }
  return checks;
}

/** Null: it is about a daemon, and none answers. */
async function lookAt(row: Row, scene: Scene): Promise<Check | readonly Check[] | null> {
  if ('run' in row) return row.run(scene);
  return scene.status === null ? null : row.ask({ ...scene, status: scene.status });
}

async function hasHooks({ agents, inspectHooks }: DoctorPorts): Promise<boolean> {
  const found = await Promise.all(agents.map(inspectHooks));
  return found.some(({ hooks, elsewhere }) => hooks.length > 0 || elsewhere.length > 0);
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
    const { message, hint } = channels;
    return [channelGuide.named('channels').found('unasked', message, {}, hint)];
  }
  return channels.map((view) =>
    checkChannel(view, status.channels.find(({ name }) => name === view.channel) ?? null),
  );
}
