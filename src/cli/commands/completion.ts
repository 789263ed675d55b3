import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { UsageError } from '../../platform/errors.ts';
import { ownProgram } from '../../platform/program-files.ts';
import { displayLine } from '../../text/sanitize.ts';
import { type Proposal, type Proposals, propose } from '../completion/propose.ts';
import { currentValues } from '../completion/values.ts';
import type { CommandContext, DefineCommand } from '../context.ts';
import { manPage } from '../man-page.ts';

/** The script of each shell; all of them call `hookbell complete`, so they are never outdated. */
const files: ReadonlyMap<string, string> = new Map([
  ['bash', 'hookbell.bash'],
  ['zsh', 'hookbell.zsh'],
  ['fish', 'hookbell.fish'],
  ['powershell', 'hookbell.ps1'],
]);
const shells = [...files.keys()].join(', ');

/** `hookbell completion SHELL`, and the `complete` command that its scripts call. */
export const defineCompletion: DefineCommand = (program, run) => {
  program
    .command('completion', { hidden: true })
    .argument('<shell>', shells)
    .description('print a completion script for your shell')
    .addHelpText(
      'after',
      `
  bash        eval "$(hookbell completion bash)" in ~/.bashrc
  zsh         eval "$(hookbell completion zsh)" in ~/.zshrc, below compinit
  fish        hookbell completion fish >~/.config/fish/completions/hookbell.fish
  powershell  hookbell completion powershell | Out-String | Invoke-Expression in $PROFILE`,
    )
    .action(run(async ({ output }, shell: string) => output.line(scriptFor(shell).trimEnd())));

  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .option('--last <word>', 'the word being typed, if it is not among the others')
    .description(
      'print completions for the words typed so far, one per line, with a tab before the description',
    )
    .action(
      run(async (context, words: readonly string[], { last }: { readonly last?: string }) => {
        const typed = last === undefined ? words : [...words, last];
        await print(context, propose(program, typed));
      }),
    );
};

/** @throws UsageError for an unknown shell */
function scriptFor(shell: string): string {
  const file = files.get(shell);
  if (file === undefined) {
    throw new UsageError(`Unknown shell "${shell}", expected one of ${shells}`);
  }
  return readFileSync(join(ownProgram, 'config', 'completion', file), 'utf8');
}

async function print(
  context: CommandContext,
  { words, source, begun, before }: Proposals,
): Promise<void> {
  const { output } = context;
  const current: readonly Proposal[] = source === null ? [] : await currentValues(source, context);
  for (const { value, description } of [...words, ...current]) {
    if (!value.startsWith(begun)) continue;
    const line = `${before}${displayLine(value)}`;
    output.line(description === '' ? line : `${line}\t${displayLine(description)}`);
  }
  if (source === 'files' || source === 'directories') output.line(`:${source}`);
}

/** `hookbell man`: the manual page, generated from the `--help` texts; packages install it. */
export const defineMan: DefineCommand = (program, run) => {
  program
    .command('man', { hidden: true })
    .description('print the manual page: hookbell man | man -l -')
    .action(run(async ({ output, version }) => output.line(manPage(program, version).trimEnd())));
};
