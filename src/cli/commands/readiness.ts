import type { DefineCommand } from '../define-command.ts';
import { defineRemote } from '../remote/define-remote.ts';

interface Options {
  readonly repo?: string;
}

/** `hookbell readiness`: how ready repositories are for agents. */
export const defineReadiness: DefineCommand = (program, run) => {
  const readiness = program
    .command('readiness')
    .description('show how ready repositories are for agents');
  defineRemote<Options>(readiness, run, {
    words: 'list',
    description: 'readiness reports, the newest first',
    id: 'readiness.list',
    configure: (command) => command.option('--repo <id>', 'only of this repository'),
    parameters: (_, { repo }) => ({ ...(repo !== undefined && { repoId: repo }) }),
  });
};
