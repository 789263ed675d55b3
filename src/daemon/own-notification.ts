import { hostname, userInfo } from 'node:os';

import type { Notification, Origin } from '../core/notification.ts';

type Said = Pick<Notification, 'groupKey' | 'at' | 'severity' | 'title' | 'body'>;

/**
 * A notification that hookbell gives of its own accord: about no session, out of no event.
 *
 * @param fields what it says, and what differs from the usual in the rest
 */
export function ownNotification(
  fields: Said & Partial<Notification> & { readonly id: string },
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
    origin: originHere(),
    project: null,
    asked: null,
    durationMs: null,
    quietly: false,
    facts: {},
    possibleDuplicate: false,
    ...shown,
  };
}

/** The account and the machine that this daemon runs on. */
export function originHere(): Origin {
  return { user: userName(), host: hostname() };
}

function userName(): string | null {
  try {
    return userInfo().username;
  } catch {
    // An account that is in no user database, as in a container.
    return process.env['USER'] ?? null;
  }
}
