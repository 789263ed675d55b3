import { constants } from 'node:fs';
import { access, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';

import type { Command } from 'commander';
import { execa } from 'execa';

import { ownProgram } from '../../platform/program-files.ts';
import type { Ask } from '../../platform/ask-program.ts';
import { FailedError } from '../../platform/errors.ts';
import { findOrigin, type Origin } from '../../setup/upgrade/find-origin.ts';
import { programVersion, recordedSource } from '../../setup/installed-program.ts';
import { planUpgrade } from '../../setup/upgrade/plan-upgrade.ts';
import { fileExists } from '../../setup/settings-file.ts';
import { displayLine } from '../../text/sanitize.ts';
import { type CommandContext, type DefineCommand, type ExitCode, exitCodes } from '../context.ts';
import { installPlaces } from '../install-places.ts';

/** npm may take seconds to start, ms. */
const ASK_MS = 20_000;
/** Fetching and building a program, ms. */
const RUN_MS = 15 * 60_000;

/** `hookbell upgrade`: fetches the newest program in the way it was installed, and installs it for this user. */
export const defineUpgrade: DefineCommand = (program, run) => {
  const command: Command = program
    .command('upgrade')
    .description('install the newest version in the way hookbell was installed')
    .option('--dry-run', 'print what would be done without doing it')
    .action(() => run((context) => upgrade(context, command.opts<{ dryRun?: boolean }>())));
};

async function upgrade(
  context: CommandContext,
  { dryRun = false }: { readonly dryRun?: boolean },
): Promise<ExitCode> {
  const { output, json, paths, version } = context;
  const from = (await programVersion(paths.program)) ?? version;
  const origin = await findOrigin(await sourceFolder(paths.program), ask, process.execPath);
  const isWritable = await isChangeable(dirname(origin.folder));
  const { fetch, apply, byHand } = planUpgrade(origin, { node: process.execPath, isWritable });
  if (!json) output.line(displayLine(`hookbell ${from}: ${describe(origin)}`));

  const isInstalled = await fileExists(installPlaces(context).manifest);
  const isNewer =
    apply !== null && (fetch.length > 0 || origin.type === 'npx' || (await differs(origin, from)));
  const commands = [...fetch, ...(isInstalled && isNewer ? [apply] : [])];
  for (const argv of commands) {
    if (!json) output.line(displayLine(`${dryRun ? 'would run' : 'running'}: ${argv.join(' ')}`));
    if (!dryRun) await runShown(argv, json);
  }
  // A package that a person upgraded before needs no further command.
  const left = isNewer && fetch.length === 0 ? [] : byHand;
  const to = (await programVersion(isInstalled ? paths.program : origin.folder)) ?? from;
  if (json) {
    const { type, folder } = origin;
    output.json({ dryRun, origin: type, folder, from, to, ran: commands, byHand: left });
  } else {
    for (const line of left) output.line(displayLine(`run: ${line}`));
    if (!dryRun && commands.length > 0) output.line(result(from, to));
    if (!isInstalled) output.say('Then run "hookbell install": nothing is installed for this user');
  }
  return left.length > 0 ? exitCodes.partial : exitCodes.ok;
}

/** With the whole environment, in which a person may have set where npm installs. */
const ask: Ask = async (program, words) => {
  const { failed, stdout } = await execa(program, words, {
    reject: false,
    stdin: 'ignore',
    timeout: ASK_MS,
  });
  return failed ? null : stdout;
};

/** Where the installed program was copied from; otherwise the program that runs. */
async function sourceFolder(program: string): Promise<string> {
  const isInstalled = (await realpath(program).catch(() => null)) === (await realpath(ownProgram));
  return (isInstalled ? await recordedSource(program) : null) ?? ownProgram;
}

async function differs({ folder }: Origin, from: string): Promise<boolean> {
  const version = await programVersion(folder);
  return version !== null && version !== from;
}

const ways: Readonly<Record<Origin['type'], string>> = {
  checkout: 'installed from the checkout',
  npm: 'installed by npm',
  npx: 'installed by npx',
  deb: 'installed from a Debian package',
  homebrew: 'installed by Homebrew',
  unknown: 'installed in an unknown way from',
};

function describe(origin: Origin): string {
  const text = `${ways[origin.type]} ${origin.folder}`;
  return origin.type === 'unknown' ? `${text}. ${origin.reason}` : text;
}

function result(from: string, to: string): string {
  return from === to ? `hookbell ${to} is up to date` : `Upgraded hookbell from ${from} to ${to}`;
}

async function isChangeable(path: string): Promise<boolean> {
  return access(path, constants.W_OK).then(
    () => true,
    () => false,
  );
}

/**
 * Runs a command whose output the person sees; with `--json` on standard error.
 *
 * @throws FailedError if it fails: what it printed says why
 */
async function runShown([program = '', ...words]: readonly string[], json: boolean): Promise<void> {
  const { failed, shortMessage } = await execa(program, words, {
    reject: false,
    stdin: 'ignore',
    stdout: json ? process.stderr : 'inherit',
    stderr: 'inherit',
    timeout: RUN_MS,
  });
  if (!failed) return;
  throw new FailedError(`The upgrade stopped: ${shortMessage}`, {
    hint: 'The installed version is unchanged unless the command above says otherwise. Run "hookbell upgrade" again',
  });
}
