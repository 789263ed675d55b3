import { UsageError } from '../../core/errors.ts';
import type { DefineCommand } from '../define-command.ts';
import { defineRemote } from '../remote/define-remote.ts';

interface Options {
  readonly allowNull?: boolean;
}

/** `hookbell limits`: credit limits of users. */
export const defineLimits: DefineCommand = (program, run) => {
  const limits = program.command('limits').description('set credit limits of users');
  defineRemote<Options>(limits, run, {
    words: 'set <email=credits...>',
    description: 'set limits; exit code 8 unless all of them took effect',
    id: 'org.setLimits',
    configure: (command) =>
      command.option(
        '--allow-null',
        'take "null" for a limit, which removes it at some services; the interface says number',
      ),
    parameters: (words) => ({ users: words.map(readEntry) }),
    callOptions: ({ allowNull = false }) => ({ allowNull }),
  });
};

/** @throws UsageError when it is not ADDRESS=CREDITS; the client looks closer at both */
function readEntry(word: string): { email: string; limit: number | null } {
  // An address may hold "=", a number may not.
  const at = word.lastIndexOf('=');
  const amount = word.slice(at + 1);
  const limit = amount === 'null' ? null : Number(amount === '' ? Number.NaN : amount);
  if (at < 1 || Number.isNaN(limit)) {
    throw new UsageError(`"${word}" is no limit, expected ADDRESS=CREDITS`, {
      hint: 'For example: hookbell limits set ann@example.com=2000000',
    });
  }
  return { email: word.slice(0, at), limit };
}
