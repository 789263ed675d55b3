import type { ReceivedWord } from '../core/history.ts';
import { TEST_EVENT } from '../core/hand-made.ts';
import { dialects } from './registry.ts';
import { FAILED_TURN } from './support/registered-events.ts';
import { eventWord, notificationWord } from './support/vocabulary.ts';

/** Whether the vocabulary of its agent has this event and, if it is a notification with a type, this type. */
export function isKnownWord({
  agent,
  event,
  notificationType: type,
}: Omit<ReceivedWord, 'count'>): boolean {
  if (agent === 'service' || event === TEST_EVENT || event === FAILED_TURN) return true;
  const { vocabulary } = dialects[agent];
  const isKnown = eventWord(vocabulary, event) !== null;
  return isKnown && (type === null || notificationWord(vocabulary, type) !== null);
}
