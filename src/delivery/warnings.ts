import { hostname, userInfo } from 'node:os';

import type { Log } from '../platform/log.ts';
import type { Notification, Origin } from '../core/notification.ts';
import type { Clock } from '../platform/time.ts';

export type Warnings = ReturnType<typeof createWarnings>;

/** Warnings for the user: shown by `status` while they last, and sent once through the channels. */
export function createWarnings({ now, newId, log }: { now: Clock; newId: () => string; log: Log }) {
  const raised = new Map<string, string>();
  const unsent: Notification[] = [];
  let send = (notification: Notification): void => void unsent.push(notification);
  return {
    /** Raises a warning; the same `key` again only changes its text. */
    raise(key: string, text: string): void {
      const isNew = !raised.has(key);
      raised.set(key, text);
      if (!isNew) return;
      log.warn({ key, text }, 'Raised a warning');
      const title = 'hookbell needs your attention';
      const fields = { groupKey: 'hookbell', at: now(), severity: 'critical', title } as const;
      send(ownNotification({ id: newId(), ...fields, body: text }));
    },
    clear(key: string): void {
      if (raised.delete(key)) log.info({ key }, 'Cleared a warning');
    },
    list: (): readonly string[] => [...raised.values()],
    /** Sets the sender of notifications; warnings raised earlier are sent first. */
    connect(next: (notification: Notification) => void): void {
      send = next;
      for (const notification of unsent.splice(0)) send(notification);
    },
  };
}

/** Without a session or an event. @param fields the texts, and further fields that differ from the defaults */
export function ownNotification({
  id,
  ...shown
}: Pick<Notification, 'groupKey' | 'at' | 'severity' | 'title' | 'body'> &
  Partial<Notification> & { readonly id: string }): Notification {
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

/** The user and the host of this daemon. */
export function originHere(): Origin {
  const host = hostname();
  try {
    return { user: userInfo().username, host };
  } catch {
    // The account may be missing from the user database, as in a container.
    return { user: process.env['USER'] ?? null, host };
  }
}
