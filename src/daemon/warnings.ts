import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Notification } from '../core/notification.ts';
import { ownNotification } from './own-notification.ts';

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
      tell(
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
      tell = next;
      for (const notification of untold.splice(0)) tell(notification);
    },
  };
}
