import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname } from 'node:path';

import { execa } from 'execa';

import { compareVersions } from '../../platform/compare-versions.ts';
import { FailedError } from '../../platform/errors.ts';
import type { InstallOrigin } from '../../setup/upgrade/find-origin.ts';
import { programVersion } from '../../setup/installed-program.ts';
import { planUpgrade } from '../../setup/upgrade/plan-upgrade.ts';
import { fileExists } from '../../setup/settings-file.ts';
import { displayLine } from '../../text/sanitize.ts';
import { type CommandContext, type DefineCommand, type ExitCode, exitCodes } from '../context.ts';
import { installPlaces } from '../install-places.ts';
import { originOfCopy } from '../origin-of-copy.ts';

/** Fetching and building a program, ms. */
const RUN_MS = 15 * 60_000;

/** `hookbell upgrade`: fetches the newest program in the way it was installed, and installs it for this user. */
export const defineUpgrade: DefineCommand = (program, run) => {
  program
    .command('upgrade')
    .description('install the newest version the way hookbell was installed')
    .option('--dry-run', 'print what would be done without doing it')
    .addHelpText(
      'after',
      `
Runs git, npm, npx, pnpm, Yarn or Bun. For apt, pacman and Homebrew it prints the command for you to run, and exits with ${exitCodes.partial}.
Your configuration, history and registered agents stay.
`,
    )
    .action(run(upgrade));
};

async function upgrade(
  context: CommandContext,
  { dryRun = false }: { readonly dryRun?: boolean },
): Promise<ExitCode> {
  const { output, json, paths, version } = context;
  const from = (await programVersion(paths.program)) ?? version;
  const origin = await originOfCopy(paths.program);
  const isWritable = await isChangeable(dirname(origin.folder));
  const { fetch, apply, byHand } = planUpgrade(origin, { node: process.execPath, isWritable });
  if (!json) output.line(displayLine(`hookbell ${from}: ${describe(origin)}`));

  const isInstalled = await fileExists(installPlaces(context).manifest);
  const isNewer =
    apply !== null &&
    (fetch.length > 0 ||
      origin.type === 'npx' ||
      ((await programVersion(origin.folder)) ?? from) !== from);
  const commands = [...fetch, ...(isInstalled && isNewer ? [apply] : [])];
  for (const argv of commands) {
    if (!json) output.line(displayLine(`${dryRun ? 'would run' : 'running'}: ${argv.join(' ')}`));
    if (!dryRun) await runShown(argv, json);
  }
  // A package that a person upgraded before needs no further command.
  const left = isNewer && fetch.length === 0 ? [] : byHand;
  const upgraded = isInstalled ? paths.program : (await originOfCopy(paths.program)).folder;
  const to = (await programVersion(upgraded)) ?? from;
  if (json) {
    const { type, folder } = origin;
    output.json({ dryRun, origin: type, folder, from, to, ran: commands, byHand: left });
  } else {
    for (const line of left) output.line(displayLine(`run: ${line}`));
    if (!dryRun && commands.length > 0) output.line(result(from, to));
    if (!isInstalled) {
      const install = `${origin.type === 'npx' ? 'npx hookbell@latest' : 'hookbell'} install`;
      output.say(`Nothing is installed for this user yet. Run "${install}"`);
    }
  }
  return left.length > 0 ? exitCodes.partial : exitCodes.ok;
}

const ways: Readonly<Record<InstallOrigin['type'], string>> = {
  checkout: 'from the checkout',
  npm: 'by npm',
  pnpm: 'by pnpm',
  yarn: 'by Yarn',
  bun: 'by Bun',
  npx: 'by npx',
  deb: 'from a Debian package',
  pacman: 'by pacman',
  homebrew: 'by Homebrew',
  unknown: 'in an unknown way from',
};

function describe(origin: InstallOrigin): string {
  const text = `installed ${ways[origin.type]} ${origin.folder}`;
  return origin.type === 'unknown' ? `${text}. ${origin.reason}` : text;
}

function result(from: string, to: string): string {
  if (from === to) return `hookbell ${to} is up to date`;
  return compareVersions(to, from) < 0
    ? `Installed hookbell ${to}, the latest release. Your ${from} was newer`
    : `Upgraded hookbell from ${from} to ${to}`;
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
    cwd: homedir(),
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
