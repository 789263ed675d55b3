import type { Payload } from './payload.ts';
import { registered } from './registered-events.ts';

/** The events that our plugin passes on, in OpenCode and what is built on it. */
export const openCodeEvents = registered([
  'session.created',
  'session.deleted',
  'session.idle',
  'session.error',
  'message.updated',
  'permission.asked',
  'permission.updated',
  'question.asked',
  'permission.replied',
  'question.replied',
  'question.rejected',
  'permission.v2.asked',
  'permission.v2.replied',
  'question.v2.asked',
  'question.v2.replied',
  'question.v2.rejected',
]);

/** A message is updated many times, long after its prompt; only the first one is the prompt. */
export function firstMessage({ event, properties }: Payload): readonly string[] | null {
  const id = properties?.info?.id;
  return event === 'message.updated' && id !== undefined ? [event, id] : null;
}
