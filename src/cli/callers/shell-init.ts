import { hookArguments, ownProgram, programFile } from '../../platform/program-files.ts';
import { UsageError } from '../../platform/errors.ts';
import { fileExists } from '../../setup/settings-file.ts';
import { shellWord } from '../../text/escape.ts';
import type { DefineCommand } from '../context.ts';
import { requireConfig } from '../read-config.ts';
import { shellTexts } from './shell-texts.ts';

/** `hookbell shell-init SHELL`: prints what notifies of every long command that is typed in that shell. */
export const defineShellInit: DefineCommand = (program, run) => {
  program
    .command('shell-init', { hidden: true })
    .argument('<shell>', 'bash, zsh or fish')
    .description('print code for your shell that notifies of long commands')
    .action(
      run(async ({ output, paths }, shell: string) => {
        const textOf = Object.entries(shellTexts).find(([name]) => name === shell)?.[1];
        if (textOf === undefined) {
          throw new UsageError(`Cannot print code for "${shell}", expected bash, zsh or fish`);
        }
        const { commands } = await requireConfig(paths.config);
        const isInstalled = await fileExists(programFile('shellHook', paths.program));
        const [hook, ...words] = hookArguments(isInstalled ? paths.program : ownProgram);
        output.line(
          textOf({
            hook: [hook, ...words, '--state', paths.state].map(shellWord).join(' '),
            program: shellWord(hook),
            seconds: Math.max(1, Math.ceil(commands.longerThanMs / 1_000)),
            ignore: commands.ignore.join(' '),
          }),
        );
      }),
    );
};
