import { HookbellError } from '../../platform/errors.ts';
import { checkAccounts } from './accounts.ts';
import { checkAgent } from './agent.ts';
import { apiChecks, checkApi } from './api.ts';
import { channelGuide, checkChannel } from './channel.ts';
import type { Check } from './check.ts';
import { found, skipped } from './check.ts';
import { checkCommand } from './command.ts';
import { checkConfiguration } from './configuration.ts';
import type { DaemonSight } from './daemon.ts';
import { checkDaemon, checkDaemonWarnings, lookAtDaemon } from './daemon.ts';
import { checkDeliveries } from './deliveries.ts';
import { checkDisk } from './disk.ts';
import { checkEnvironment } from './environment.ts';
import { checkHeartbeat } from './heartbeat.ts';
import { checkLaunchScript } from './launch-script.ts';
import { checkMutes } from './mutes.ts';
import { checkNodeVersion } from './node-version.ts';
import { checkOwnership } from './ownership.ts';
import type { DoctorPorts } from './ports.ts';
import { checkPresence } from './presence.ts';
import { checkPrivateDirectory } from './private-directory.ts';
import { checkPrivateFiles } from './private-files.ts';
import { checkProject } from './project.ts';
import { checkListen, checkRelay } from './remote.ts';
import { checkSecrets } from './secrets.ts';
import { checkService } from './service.ts';
import { checkQuarantine, checkSpool } from './spool.ts';

const CHANNELS_PATIENCE_MS = 30_000;

/** Checks everything hookbell depends on. Continues after every finding, with or without a daemon. */
export async function examine(ports: DoctorPorts): Promise<readonly Check[]> {
  const { paths } = ports;
  const sight = await lookAtDaemon(ports);
  const loaded = await ports.loadConfig();
  return [
    checkNodeVersion(ports),
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
