import type { DefineCommand } from '../define-command.ts';
import { defineRemote } from '../remote/define-remote.ts';

/** `hookbell controls`: what became of the enterprise control settings. */
export const defineControls: DefineCommand = (program, run) => {
  const controls = program
    .command('controls')
    .description('show how the enterprise control settings changed');
  defineRemote(controls, run, {
    words: 'history',
    description: 'who changed which settings, the newest first; values of secrets are never shown',
    id: 'org.history',
    parameters: () => ({}),
  });
};
