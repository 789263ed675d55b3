import type { DefineCommand } from '../define-command.ts';
import { manPage } from '../man-page.ts';

/** `hookbell man`: the manual page, made of what `--help` says. */
export const defineMan: DefineCommand = (program, run) => {
  program
    .command('man')
    .description('print the manual page: hookbell man | man -l -')
    .action(() =>
      run(async ({ output, version }) => output.line(manPage(program, version).trimEnd())),
    );
};
