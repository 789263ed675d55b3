import { hostname, userInfo } from 'node:os';

import type { Log } from '../platform/log.ts';
import type { Notification, Origin } from '../core/notification.ts';
import type { Clock } from '../platform/time.ts';

/** Warnings for the user: shown by `status` while they last, and sent once through the channels. */
export interface Warnings {
  /** Raises a warning; the same `key` again only changes its text. */
  raise(key: string, text: string): void;
  clear(key: string): void;
  list(): readonly string[];
  /** Sets the sender of notifications; warnings raised earlier are sent first. */
  connect(send: (notification: Notification) => void): void;
}

export interface WarningsOptions {
  readonly now: Clock;
  readonly newId: () => string;
  readonly log: Log;
}

export function createWarnings({ now, newId, log }: WarningsOptions): Warnings {
  const raised = new Map<string, string>();
  const unsent: Notification[] = [];
  let send = (notification: Notification): void => void unsent.push(notification);
  return {
    raise(key, text) {
      const isNew = !raised.has(key);
      raised.set(key, text);
      if (!isNew) return;
      log.warn({ key, text }, 'Raised a warning');
      send(
        ownNotification({
          id: newId(),
          groupKey: 'hookbell',
          at: now(),
          severity: 'critical',
          title: 'hookbell needs your attention',
          body: text,
        }),
      );
    },
    clear(key) {
      if (raised.delete(key)) log.info({ key }, 'Cleared a warning');
    },
    list: () => [...raised.values()],
    connect(next) {
      send = next;
      for (const notification of unsent.splice(0)) send(notification);
    },
  };
}

type Shown = Pick<Notification, 'groupKey' | 'at' | 'severity' | 'title' | 'body'>;

/**
 * A notification from hookbell itself, without a session or an event.
 *
 * @param fields the texts, and further fields that differ from the defaults
 */
export function ownNotification(
  fields: Shown & Partial<Notification> & { readonly id: string },
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

/** The user and the host of this daemon. */
export function originHere(): Origin {
  return { user: userName(), host: hostname() };
}

function userName(): string | null {
  try {
    return userInfo().username;
  } catch {
    // The account may be missing from the user database, as in a container.
    return process.env['USER'] ?? null;
  }
}
