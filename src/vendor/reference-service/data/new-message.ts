import { randomFor } from '../random.ts';
import type { Message } from './messages.ts';
import type { Session } from './sessions.ts';

/** Adds a message to the end of a session, which is changed by it. */
export function addMessageTo(
  session: Session,
  {
    seed,
    at,
    ...said
  }: { readonly seed: number; readonly at: number } & (
    | { readonly role: 'user'; readonly text: string; readonly userMessageSource: string }
    | { readonly role: 'assistant'; readonly text: string }
  ),
): Message {
  const random = randomFor(seed, said.role, session.sessionId, session.messages.length);
  const parentId = session.messages.at(-1)?.id;
  const { text, ...rest } = said;
  const message = {
    id: `msg_${random.hex(16)}`,
    content: [{ id: `block_${random.hex(8)}`, text }],
    createdAt: at,
    updatedAt: at,
    ...(parentId === undefined ? {} : { parentId }),
    ...rest,
    visibility: 'both',
    isUserVisible: true,
    isError: false,
  };
  session.messages.push(message);
  session.updatedAt = at;
  return message;
}
