import { accountsGuide } from './accounts.ts';
import { agentGuide } from './agent.ts';
import { analyticsGuide, apiGuide, reportsGuide } from './api.ts';
import { canaryGuide } from './canary.ts';
import { channelGuide } from './channel.ts';
import type { CheckGuide } from './check.ts';
import { commandGuide } from './command.ts';
import { configurationGuide } from './configuration.ts';
import { coverageGuides } from './coverage.ts';
import { daemonGuide, warningsGuide } from './daemon.ts';
import { deliveriesGuide } from './deliveries.ts';
import { environmentGuide } from './environment.ts';
import { heartbeatGuide } from './heartbeat.ts';
import { launchScriptGuide } from './launch-script.ts';
import { mutesGuide } from './mutes.ts';
import { nodeGuide } from './node-version.ts';
import { ownershipGuide } from './ownership.ts';
import { presenceGuide } from './presence.ts';
import { diskGuide } from './disk.ts';
import { spoolDirectoryGuide, stateDirectoryGuide } from './private-directory.ts';
import { privateFilesGuide } from './private-files.ts';
import { projectGuide } from './project.ts';
import { listenGuide, relayGuide } from './remote.ts';
import { secretsGuide } from './secrets.ts';
import { serviceGuide } from './service.ts';
import { quarantineGuide, spoolGuide } from './spool.ts';

/** Every check of `doctor`, by the command that runs it, in the order shown. */
export const checkGuides: Readonly<Record<string, readonly CheckGuide[]>> = {
  'hookbell doctor': [
    nodeGuide,
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
