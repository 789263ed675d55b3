import type { DefineCommand } from '../../context.ts';
import { defineRemote } from '../define-remote.ts';

interface Options {
  readonly computer?: string;
}

/** `hookbell service messages`: one message of a session; the service cannot list messages. */
export const defineMessages: DefineCommand = (program, run) => {
  const message = program.command('messages').description('show a message of a session');
  defineRemote<Options>(message, run, {
    words: 'get <session> <message>',
    description: 'show a message, such as a sent reply',
    id: 'sessions.getMessage',
    configure: (command) => command.option('--computer <id>', 'query this computer directly'),
    parameters: ([sessionId, messageId], { computer: computerId }) => ({
      sessionId,
      messageId,
      computerId,
    }),
  });
};
