import type { DefineCommand } from '../../context.ts';
import { defineRemote } from '../define-remote.ts';

/** `hookbell service users`: who belongs to the organization. */
export const defineUsers: DefineCommand = (program, run) => {
  const users = program.command('users').description('list the users of the organization');
  defineRemote(users, run, {
    words: 'list',
    description: 'list the users of the organization',
    id: 'org.users',
    parameters: () => ({}),
  });
};
