import type { Notification } from '../core/notification.ts';

/** A notification that hookbell gives of its own accord: about no session, out of no event. */
export function ownNotification(
  fields: Pick<Notification, 'groupKey' | 'at' | 'severity' | 'title' | 'body'> & {
    readonly id: string;
  },
): Notification {
  const { id, ...shown } = fields;
  return {
    deliveryId: id,
    eventId: id,
    agent: 'unknown',
    event: 'hookbell',
    kind: 'activity',
    sessionId: null,
    sessionTitle: null,
    computer: null,
    activeMs: null,
    credits: null,
    project: null,
    durationMs: null,
    quietly: false,
    facts: {},
    possibleDuplicate: false,
    ...shown,
  };
}
