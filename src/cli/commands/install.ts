import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname } from 'node:path';

import { starterConfig } from '../../config/starter.ts';
import { handMadeSessionId, TEST_EVENT } from '../../core/hand-made.ts';
import { UsageError } from '../../platform/errors.ts';
import { ownProgram } from '../../platform/program-files.ts';
import { CUSTOM_AGENT } from '../../core/agent/custom-name.ts';
import { customAgent } from '../../setup/custom-agent.ts';
import type { RegistrableAgent } from '../../setup/hook-places.ts';
import { mcpHostsOf } from '../../setup/mcp/mcp-hosts.ts';
import { install } from '../../setup/install.ts';
import { launchFiles } from '../../setup/launch-script.ts';
import { restoreDatabase } from '../../setup/upgrade/newer-database.ts';
import { runStep } from '../../setup/run-steps.ts';
import { fileExists } from '../../setup/settings-file.ts';
import { type CommandContext, type DefineCommand, type ExitCode, exitCodes } from '../context.ts';
import { findDaemon } from '../../control/stop-daemon.ts';
import { proveDaemon, startDaemon, stopHere, stopOutdatedDaemon } from '../daemon-process.ts';
import { whyForeign } from '../doctor/ports.ts';
import { foreignFiles } from '../doctor/files.ts';
import {
  chooseAgents,
  configSchemaFile,
  installedParts,
  installedService,
  installPlaces,
  isOnSearchPath,
} from '../install-places.ts';
import { collect } from '../option-values.ts';
import { deliveryLines, printAdvice, printStep, printSteps } from '../print-event.ts';
import { type Triggered, triggerEvent } from '../trigger-event.ts';

interface Options {
  readonly hooks: boolean;
  readonly service: boolean;
  readonly wake?: boolean;
  readonly agent?: readonly string[];
  readonly all?: boolean;
  readonly settings?: string;
  readonly name?: string;
  readonly answers?: boolean;
  readonly words?: boolean;
  readonly mcp?: boolean;
  readonly scope: 'user' | 'project';
  readonly dryRun?: boolean;
  readonly refresh?: boolean;
  readonly restoreDatabase?: boolean;
}

/** `hookbell install`: program, command, configuration, hooks, service, daemon; the first run sends one test notification. */
export const defineInstall: DefineCommand = (program, run) => {
  program
    .command('install')
    .description('install hookbell, register its hooks and start the daemon')
    .option('--no-hooks', 'do not change the settings of agents')
    .option('--no-service', 'do not install a service; the hook starts the daemon when needed')
    .option(
      '--wake',
      'let systemd also start the daemon when an event waits (for hooks that cannot start programs)',
    )
    .option('--agent <name>', 'only this agent, found or not; may be repeated', collect)
    .option('--all', 'every supported agent, found on this machine or not')
    .option('--settings <file>', 'with "--agent custom": the file of its hooks')
    .option('--name <name>', 'with "--agent custom": what notifications call it')
    .option(
      '--scope <scope>',
      'settings to change: "user" or "project" (this directory)',
      readScope,
      'user',
    )
    .option('--answers', 'let agents wait for an answer from elsewhere, such as "hookbell allow"')
    .option('--words', 'with --answers: also let Claude Code wait for words while you are away')
    .option('--no-words', 'with --answers: stop Claude Code from waiting for words')
    .option('--no-answers', 'let agents ask only in their terminal')
    .option('--mcp', 'also let agents notify and ask you over MCP (see "hookbell mcp")')
    .option('--refresh', 'reinstall for the same agents, with the service if one is installed')
    .option(
      '--restore-database',
      'after going back to an older version: restore the database from before the upgrade',
    )
    .option('--dry-run', 'print what would be done without doing it')
    .option('--yes', 'do not prompt')
    .action(run(installCommand));
};

async function installCommand(context: CommandContext, options: Options): Promise<ExitCode> {
  const { output, json } = context;
  const { agent: agents = [] } = options;
  if (options.all === true && agents.length > 0) {
    throw new UsageError('"--all" and "--agent" exclude each other');
  }
  if (options.answers === true && process.platform === 'win32') {
    throw new UsageError('"--answers" is not supported on Windows: agents ask in their terminal');
  }
  if (options.answers === true && options.scope === 'project') {
    throw new UsageError('"--answers" changes the settings of a user, not those of a project');
  }
  const refresh = options.refresh ?? false;
  if (refresh && (options.all === true || agents.length > 0 || options.scope === 'project')) {
    throw new UsageError('"--refresh" takes the agents and the settings that are registered');
  }
  if (options.words !== undefined && options.answers !== true) {
    throw new UsageError(`"--${options.words ? '' : 'no-'}words" needs "--answers"`);
  }
  const dryRun = options.dryRun ?? false;
  if (options.restoreDatabase === true && !dryRun) await goBack(context);
  const isFirst = !(await fileExists(installPlaces(context).manifest));
  const present = refresh ? await installedParts(context) : null;
  const installed = await install(
    {
      agents: options.hooks ? (present?.agents ?? chooseAgents(agents, customIn(options))) : [],
      answers: options.answers,
      words: options.words,
      ...(options.mcp === true && { mcpHosts: mcpHostsOf(agents) }),
      force: agents.length > 0 || options.all === true,
      base: options.scope === 'project' ? process.cwd() : homedir(),
      config: {
        text: starterConfig(configSchemaFile(context.paths)),
        isStarter: true,
        existing: 'keep',
        secrets: [],
      },
      service:
        options.service && present?.hasService !== false
          ? installedService(context, { wake: options.wake ?? present?.wakes ?? false })
          : null,
      dryRun,
      beforeReplacing: () => proveDaemon(context, ownProgram),
    },
    installPlaces(context),
    runStep,
  );
  if (!json) printSteps(context, installed.steps, dryRun);
  const failed = installed.steps.some(({ state }) => state === 'failed');
  const code = failed ? exitCodes.partial : exitCodes.ok;
  if (dryRun) {
    const text = isFirst ? 'would run and send a test notification' : 'would run';
    if (json) output.json({ dryRun, steps: installed.steps });
    else printStep(context, 'done', 'daemon', text);
    return code;
  }

  for (const { path, reason } of await foreignFiles(context.paths, whyForeign)) {
    output.complain(`Another user could change what hookbell runs as you: ${path}: ${reason}`);
  }
  await stopOutdatedDaemon(context, installed);
  const running = await findDaemon(context);
  const { pid } = running ?? (await startDaemon(context, context.paths.program));
  if (!json)
    printStep(context, running === null ? 'done' : 'unchanged', 'daemon', `running, pid ${pid}`);
  const ring = isFirst ? await notifyOnce(context) : null;
  if (json) {
    output.json({ dryRun, steps: installed.steps, daemon: { pid }, ring: ring?.event ?? null });
  }
  if (json || refresh) return code;
  if (ring === null) {
    printStep(context, 'unchanged', 'test', 'not sent again: "hookbell test" sends one');
  } else {
    for (const { arrived, text, brief, advice } of deliveryLines(ring.event, ring.channels)) {
      printStep(context, arrived ? 'done' : 'failed', 'test', arrived ? text : brief);
      if (!arrived) printAdvice(context, advice);
    }
  }
  sayGoodbye(context);
  return code;
}

/** Puts the copy of the database in place that the upgrade to a newer hookbell made. */
async function goBack(context: CommandContext): Promise<void> {
  const { paths, output } = context;
  // Otherwise a hook would start the newer program again, which would migrate the copy.
  for (const script of launchFiles(paths.launch)) await rm(script, { force: true });
  await stopHere(context);
  const copy = await restoreDatabase(paths);
  if (copy === null) output.say('The database was not restored: this version can use it');
  else output.say(`Restored ${copy}; the newer database is ${paths.database}.newer`);
}

/** Sends a test through the installed hook, on the same path as an agent's event. */
function notifyOnce(context: CommandContext): Promise<Triggered> {
  return triggerEvent(context, {
    hook_event_name: TEST_EVENT,
    session_id: handMadeSessionId('test', randomUUID()),
    cwd: process.cwd(),
    message:
      'hookbell is installed (this is a test)\nAgents that wait for you are shown like this. No action is needed.',
  });
}

function sayGoodbye(context: CommandContext): void {
  const { output, paths } = context;
  if (!isOnSearchPath(context)) {
    const directory = dirname(paths.command);
    output.say(`\n${directory} is not on your PATH. To run "hookbell", add it:`);
    output.say(
      process.platform === 'win32'
        ? `  [Environment]::SetEnvironmentVariable('Path', [Environment]::GetEnvironmentVariable('Path', 'User') + ';${directory}', 'User')   # in PowerShell, once`
        : `  export PATH="${directory}:$PATH"   # in your shell profile`,
    );
  }
  output.say('\nNext: run "hookbell init" to add channels such as your phone or Slack.');
  output.say(`Or edit ${paths.config}, and run "hookbell test".`);
}

/** The agent that hookbell does not know otherwise; undefined where none is named. */
function customIn({ agent = [], settings, name, scope }: Options): RegistrableAgent | undefined {
  const isNamed = agent.includes(CUSTOM_AGENT);
  if (!isNamed && settings === undefined && name === undefined) return undefined;
  if (!isNamed || settings === undefined || name === undefined || scope === 'project') {
    throw new UsageError(
      `"--agent ${CUSTOM_AGENT}", "--settings FILE" and "--name NAME" belong together, without "--scope project"`,
    );
  }
  const custom = customAgent(name, settings, homedir());
  if (custom !== null) return custom;
  throw new UsageError(
    `"--name" is "${name}", expected at most 40 letters, digits and blanks that name no agent hookbell knows`,
  );
}

function readScope(value: string): string {
  if (value === 'user' || value === 'project') return value;
  throw new UsageError(`The scope is "${value}", expected "user" or "project"`);
}
