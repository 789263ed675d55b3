import { homedir } from 'node:os';

import { Command, CommanderError, Help, Option } from 'commander';

import { callDaemon, NoDaemonError, refuseHungState } from '../control/control-client.ts';
import { resolvePaths } from '../core/paths.ts';
import { DaemonUnreachableError, FailedError, HookbellError } from '../platform/errors.ts';
import { loadCommands } from './commands/registry.ts';
import {
  type AsStarted,
  type CommandContext,
  type ExitCode,
  exitCodeOf,
  exitCodes,
  type Run,
} from './context.ts';
import { exitCodeTexts, programExamples } from './man-page.ts';
import { createOutput } from './output.ts';

const troubles: Readonly<Record<string, { readonly reason: string; readonly hint: string }>> = {
  EACCES: {
    reason: 'permission denied',
    hint: 'Check its owner and permissions: it must belong to you',
  },
  EPERM: { reason: 'operation not permitted', hint: 'Check its owner and permissions' },
  EROFS: { reason: 'the file system is read-only', hint: 'Use a home directory you can write to' },
  ENOSPC: { reason: 'the disk is full', hint: 'Free space, then try again' },
  EDQUOT: { reason: 'the disk quota is used up', hint: 'Free space, then try again' },
  EEXIST: { reason: 'a file with that name already exists', hint: 'Move it away, then try again' },
  ENOTDIR: { reason: 'a part of the path is a file', hint: 'Move that file away, then try again' },
};

/** Describes a disk or permission error; returns null for any other error, which is a bug. */
function systemTrouble(error: unknown): FailedError | null {
  if (!(error instanceof Error) || !('code' in error)) return null;
  if ('syscall' in error && error.syscall === 'write' && !('path' in error)) {
    const reason = troubles[String(error.code)]?.reason ?? String(error.code);
    return new FailedError(`Cannot write the output: ${reason}`, { cause: error });
  }
  if (!('path' in error)) return null;
  const trouble = typeof error.code === 'string' ? troubles[error.code] : undefined;
  if (trouble === undefined || typeof error.path !== 'string') return null;
  return new FailedError(`Cannot use "${error.path}": ${trouble.reason}`, {
    hint: trouble.hint,
    cause: error,
  });
}

const codes = exitCodeTexts.map(([code, meaning]) => `${code} ${meaning}`);
const footer = `
Run "hookbell COMMAND --help" for the options of a command.

Exit codes: ${codes.slice(0, 5).join(', ')},
${codes.slice(5).join(', ')}

Examples:
${programExamples.map(([words, what]) => `  ${words.padEnd(51)}  ${what}`).join('\n')}
`;

/**
 * Parses the words of the command line and runs the command they name.
 *
 * @param ignoredVariables names that were removed from the environment because they are unsafe
 * @returns the exit code of the process
 */
export async function runCommandLine(
  words: readonly string[],
  version: string,
  ignoredVariables: readonly string[] = [],
  asStarted?: AsStarted,
): Promise<ExitCode> {
  const program = new Command('hookbell')
    .description('Notifies you when a coding agent waits for you, finishes or fails')
    .version(version, '-V, --version')
    .addOption(new Option('--json', 'print JSON'))
    .addOption(new Option('-q, --quiet', 'print data and errors only'))
    .addOption(new Option('-v, --verbose', 'print more details'))
    .exitOverride()
    .configureHelp({
      showGlobalOptions: true,
      visibleCommands: listedCommands,
      subcommandTerm: nameAndArguments,
    })
    .showSuggestionAfterError()
    .showHelpAfterError(
      '  Run "hookbell --help" or "hookbell COMMAND --help" to see what is possible',
    )
    .configureOutput({ outputError: (text, write) => write(inOurVoice(text)) })
    .addHelpText('after', footer);

  let exitCode: ExitCode = exitCodes.ok;
  const run: Run =
    (action) =>
    async (...given) => {
      const context = { ...contextOf(program, version, ignoredVariables), asStarted };
      await refuseHungState(context.paths.state);
      exitCode = (await action(context, ...given)) ?? exitCodes.ok;
    };
  for (const define of await loadCommands(words)) define(program, run);

  if (words.length === 0) {
    program.outputHelp();
    return exitCode;
  }
  try {
    await program.parseAsync([...words], { from: 'user' });
    return exitCode;
  } catch (error) {
    return report(error, program);
  }
}

/** "help" works, but the footer names "--help" instead. */
function listedCommands(command: Command): Command[] {
  return new Help().visibleCommands(command).filter((one) => one.name() !== 'help');
}

/** Commander adds "[options]" to nearly every command, which only widens the column. */
function nameAndArguments(command: Command): string {
  return new Help().subcommandTerm(command).replace(' [options]', '');
}

/** Commander says "error: unknown command 'x'"; this prints "hookbell:" first, and double quotes. */
function inOurVoice(text: string): string {
  return text
    .replace(/^error: (.)/, (_, first: string) => `hookbell: ${first.toUpperCase()}`)
    .replaceAll(/'([^'\n]*)'/g, '"$1"')
    .replace(/^\((Did you mean .*)\)$/m, '  $1');
}

function contextOf(
  program: Command,
  version: string,
  ignoredVariables: readonly string[] = [],
): CommandContext {
  const { json, quiet, verbose } = program.opts<{
    json?: boolean;
    quiet?: boolean;
    verbose?: boolean;
  }>();
  const paths = resolvePaths(process.env, process.platform, homedir());
  return {
    output: createOutput({
      stdout: process.stdout,
      stderr: process.stderr,
      quiet: quiet ?? false,
      verbose: verbose ?? false,
    }),
    paths,
    env: process.env,
    ignoredVariables,
    version,
    json: json ?? false,
    verbose: verbose ?? false,
    async ask(name, call) {
      try {
        return await callDaemon(paths, name, call);
      } catch (error) {
        if (!(error instanceof NoDaemonError)) throw error;
        const { whyNoDaemon } = await import('./doctor/why-no-daemon.ts');
        throw new DaemonUnreachableError(
          `Cannot reach the daemon: ${whyNoDaemon(paths, Date.now())}`,
          { hint: error.hint ?? '', cause: error },
        );
      }
    },
  };
}

/** Prints what failed, why, and what to run next; for a bug, prints its stack, which a report needs. */
function report(error: unknown, program: Command): ExitCode {
  if (error instanceof CommanderError) {
    // Help and version end this way too; commander has already printed the text.
    return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  }
  const { output } = contextOf(program, '');
  const expected = error instanceof HookbellError ? error : systemTrouble(error);
  if (expected !== null) {
    output.complain(`hookbell: ${expected.message}`);
    if (expected.hint !== null) output.complain(`  ${expected.hint}`);
    return exitCodeOf(expected);
  }
  output.complain(
    `hookbell: this is a bug: ${error instanceof Error ? error.stack : String(error)}`,
  );
  return exitCodes.failed;
}
