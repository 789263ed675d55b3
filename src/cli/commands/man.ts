import type { DefineCommand } from '../context.ts';
import { manPage } from '../man-page.ts';

/** `hookbell man`: the manual page, generated from the `--help` texts; packages install it. */
export const defineMan: DefineCommand = (program, run) => {
  program
    .command('man', { hidden: true })
    .description('print the manual page: hookbell man | man -l -')
    .action(() =>
      run(async ({ output, version }) => output.line(manPage(program, version).trimEnd())),
    );
};
