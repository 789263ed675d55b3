import { HookbellError } from '../../platform/errors.ts';
import { agentGuide, checkAgent } from './agent.ts';
import {
  accountsGuide,
  analyticsGuide,
  apiChecks,
  apiGuide,
  checkAccounts,
  checkApi,
  reportsGuide,
} from './api.ts';
import { canaryGuide } from './canary.ts';
import { channelGuide, checkChannel, checkPresence, presenceGuide } from './channel.ts';
import { type Check, type CheckGuide, found, skipped } from './check.ts';
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

/** Every check of `doctor`, by the command that runs it, in the order shown. */
export const checkGuides: Readonly<Record<string, readonly CheckGuide[]>> = {
  'hookbell doctor': [
    nodeGuide,
    programGuide,
    stateDirectoryGuide,
    spoolDirectoryGuide,
    diskGuide,
    privateFilesGuide,
    launchScriptGuide,
    environmentGuide,
    ownershipGuide,
    daemonGuide,
    configurationGuide,
    secretsGuide,
    projectGuide,
    spoolGuide,
    quarantineGuide,
    deliveriesGuide,
    mutesGuide,
    accountsGuide,
    warningsGuide,
    heartbeatGuide,
    relayGuide,
    listenGuide,
    agentGuide,
    channelGuide,
    presenceGuide,
    apiGuide,
    analyticsGuide,
    reportsGuide,
    commandGuide,
    serviceGuide,
  ],
  'hookbell doctor --canary': [canaryGuide],
  'hookbell doctor --coverage': [...coverageGuides],
};

const CHANNELS_PATIENCE_MS = 30_000;

/** Checks everything hookbell depends on. Continues after every finding, with or without a daemon. */
export async function examine(ports: DoctorPorts): Promise<readonly Check[]> {
  const { paths } = ports;
  const sight = await lookAtDaemon(ports);
  const loaded = await ports.loadConfig();
  return [
    checkNodeVersion(ports),
    checkProgram(ports),
    await checkPrivateDirectory('state directory', paths.state, ports),
    await checkPrivateDirectory('spool directory', paths.spool, ports),
    await checkDisk(ports),
    await checkPrivateFiles(ports),
    await checkLaunchScript(ports),
    checkEnvironment(ports),
    await checkOwnership(ports),
    checkDaemon(sight, ports),
    checkConfiguration(loaded, sight, ports),
    loaded.ok
      ? await checkSecrets(loaded.config, ports)
      : skipped('secrets', 'the configuration cannot be read'),
    await checkProject(ports),
    await checkSpool(sight, ports),
    ...(await checkMemory(sight, ports)),
    ...(await checkAgents(sight, ports)),
    ...(await checkChannels(sight, ports)),
    sight.status === null ? withoutDaemon('presence') : await checkPresence(ports),
    ...(sight.status === null ? apiChecks.map(withoutDaemon) : await checkApi(ports)),
    await checkCommand(ports),
    await checkService(ports),
  ];
}

/** Checks that need the daemon. */
async function checkMemory({ status }: DaemonSight, ports: DoctorPorts): Promise<readonly Check[]> {
  if (status === null) {
    return [
      'quarantine',
      'deliveries',
      'mutes',
      'accounts',
      'warnings',
      'heartbeat',
      'relay',
      'listen',
    ].map((name) => withoutDaemon(name));
  }
  return [
    await checkQuarantine(status, ports),
    checkDeliveries(status),
    checkMutes(status, ports.now()),
    await checkAccounts(ports),
    checkDaemonWarnings(status),
    checkHeartbeat(status),
    await checkRelay(status, ports),
    checkListen(status),
  ];
}

async function checkAgents({ status }: DaemonSight, ports: DoctorPorts): Promise<readonly Check[]> {
  const lastEvents = status === null ? null : await ports.ask('GET /v1/agents');
  return Promise.all(
    ports.agents.map(async (agent) =>
      checkAgent(agent, await ports.inspectHooks(agent), lastEvents, ports),
    ),
  );
}

async function checkChannels(
  { status }: DaemonSight,
  { ask }: DoctorPorts,
): Promise<readonly Check[]> {
  if (status === null) return [withoutDaemon('channels')];
  try {
    const channels = await ask('GET /v1/channels', { timeoutMs: CHANNELS_PATIENCE_MS });
    return channels.map((view) =>
      checkChannel(view, status.channels.find(({ name }) => name === view.channel) ?? null),
    );
  } catch (error) {
    if (!(error instanceof HookbellError)) throw error;
    return [
      { ...found('channels', channelGuide.troubles.unasked, error.message), hint: error.hint },
    ];
  }
}

function withoutDaemon(name: string): Check {
  return skipped(name, 'the daemon does not answer');
}
