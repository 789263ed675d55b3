import { dirname, join } from 'node:path';

import { Option } from 'commander';

import { RELAY_TOKEN_FILE } from '../../config/endpoint-schema.ts';
import { CUSTOM_AGENT } from '../../core/agent/custom-name.ts';
import { NotFoundError } from '../../platform/errors.ts';
import { runStep } from '../../setup/run-steps.ts';
import { removeAgentHooks, uninstall, type UninstallStep } from '../../setup/uninstall.ts';
import { fileExists } from '../../setup/settings-file.ts';
import { type Remains, whatRemains } from '../../setup/upgrade/what-remains.ts';
import { displayLine } from '../../text/sanitize.ts';
import { confirm } from '../confirm.ts';
import type { CommandContext, DefineCommand } from '../context.ts';
import { stopHere } from '../daemon-process.ts';
import { chooseAgents, installedService, installPlaces } from '../install-places.ts';
import { originOfCopy } from '../origin-of-copy.ts';
import { collect } from '../option-values.ts';
import type { Output } from '../output.ts';

/** `hookbell uninstall`: undoes the installation; configuration and stored data are kept without `--purge`. */
export const defineUninstall: DefineCommand = (program, run) => {
  program
    .command('uninstall')
    .description('remove the hooks, the daemon and the program')
    .option('--agent <name>', 'only remove the hooks of this agent; may be repeated', collect)
    .addOption(
      new Option('--purge', 'also remove the configuration and all stored data').conflicts('agent'),
    )
    .option('--dry-run', 'print what would be done without doing it')
    .option('--yes', 'do not prompt')
    .action(run(uninstallCommand));
};

interface Options {
  readonly agent?: readonly string[];
  readonly purge?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

async function uninstallCommand(
  context: CommandContext,
  { agent, purge = false, dryRun = false, yes = false }: Options,
): Promise<void> {
  if (agent !== undefined) return removeAgents(context, agent, dryRun);
  const { json, output, paths } = context;
  if (purge && !dryRun && !yes) {
    await confirm('Remove hookbell, its configuration and all stored data? This cannot be undone.');
  }
  // Looked up before, as the copy that may run this is about to be removed.
  const remains = json || dryRun ? null : await remainsOf(context);
  const steps = await uninstall(
    {
      service: installedService(context),
      purge,
      // Written by "remote pair --to" and "join", and by an interrupted "init".
      credentials: [join(dirname(paths.config), RELAY_TOKEN_FILE), paths.initAnswers],
      dryRun,
      stopDaemon: async () => void (await stopHere(context)),
    },
    installPlaces(context),
    runStep,
  );
  printSteps(context, steps, dryRun);
  if (json) return;
  if (steps.length === 0) output.say('hookbell is not installed here');
  sayWhatRemains(output, steps, remains);
}

/** @throws NotFoundError if none of them has registered hooks */
async function removeAgents(
  context: CommandContext,
  names: readonly string[],
  dryRun: boolean,
): Promise<void> {
  const known = names.filter((name) => name !== CUSTOM_AGENT);
  const chosen: readonly { readonly agent: string }[] = known.length > 0 ? chooseAgents(known) : [];
  const custom = known.length < names.length ? [{ agent: 'unknown' }] : [];
  const agents = [...new Set([...chosen, ...custom].map(({ agent }) => agent))];
  const steps = await removeAgentHooks({ agents, dryRun }, installPlaces(context));
  if (steps.length === 0) {
    throw new NotFoundError(`No hooks are registered with ${agents.join(', ')}`, {
      hint: 'Run "hookbell doctor --all" to see which are',
    });
  }
  printSteps(context, steps, dryRun);
}

function printSteps(
  { output, json }: CommandContext,
  steps: readonly UninstallStep[],
  dryRun: boolean,
): void {
  if (json) return output.json({ dryRun, steps });
  if (dryRun) output.line('This is what would be done:');
  for (const { name, text } of steps) {
    const label = dryRun && name === 'removed' ? 'would remove' : name;
    output.line(`${label.padEnd(dryRun ? 12 : 8)} ${displayLine(text)}`);
  }
}

async function remainsOf({ paths }: CommandContext): Promise<Remains> {
  const origin = await originOfCopy(paths.program);
  const hasScript = await fileExists(join(origin.folder, 'install.sh'));
  return whatRemains(origin, { hasScript });
}

/** @param remains null in a dry run, after which the command is still there */
function sayWhatRemains(
  output: Output,
  steps: readonly UninstallStep[],
  remains: Remains | null,
): void {
  if (steps.some(({ name }) => name === 'kept')) {
    const command = displayLine(remains?.uninstall ?? 'hookbell uninstall');
    output.say(`To also remove what is kept, run "${command} --purge"`);
  }
  if (remains !== null && remains.removePackage !== null) {
    output.say(displayLine(`To also remove the package, run "${remains.removePackage}"`));
  }
}
