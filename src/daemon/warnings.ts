import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Notification } from '../core/notification.ts';

/** Things a person should know of: shown by `status` while they last, and told once through the channels. */
export interface Warnings {
  /** Raises a warning; the same `key` again only changes its text. */
  raise(key: string, text: string): void;
  clear(key: string): void;
  list(): readonly string[];
  /** Who tells people: at once from now on, and first what was raised before. */
  connect(tell: (notification: Notification) => void): void;
}

export interface WarningsOptions {
  readonly now: Clock;
  readonly newId: () => string;
  readonly log: Log;
}

export function createWarnings({ now, newId, log }: WarningsOptions): Warnings {
  const raised = new Map<string, string>();
  const untold: Notification[] = [];
  let tell = (notification: Notification): void => void untold.push(notification);
  return {
    raise(key, text) {
      const isNew = !raised.has(key);
      raised.set(key, text);
      if (!isNew) return;
      log.warn({ key, text }, 'Raised a warning');
      tell(warningNotification(text, { now: now(), id: newId() }));
    },
    clear(key) {
      if (raised.delete(key)) log.info({ key }, 'Cleared a warning');
    },
    list: () => [...raised.values()],
    connect(next) {
      tell = next;
      for (const notification of untold.splice(0)) tell(notification);
    },
  };
}

function warningNotification(
  text: string,
  { now, id }: { readonly now: number; readonly id: string },
): Notification {
  return {
    deliveryId: id,
    eventId: id,
    groupKey: 'hookbell',
    at: now,
    agent: 'unknown',
    event: 'hookbell',
    kind: 'activity',
    severity: 'critical',
    sessionId: null,
    sessionTitle: null,
    computer: null,
    activeMs: null,
    credits: null,
    project: null,
    title: 'hookbell needs your attention',
    body: text,
    durationMs: null,
    quietly: false,
    facts: {},
    possibleDuplicate: false,
  };
}
