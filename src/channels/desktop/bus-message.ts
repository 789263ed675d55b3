import type { PopUp, Urgency } from './rung.ts';

/** The notification service of the freedesktop specification: specifications.freedesktop.org/notification-spec. */
export const SERVICE = 'org.freedesktop.Notifications';
export const OBJECT = '/org/freedesktop/Notifications';

export const APP_NAME = 'hookbell';
export const ICON = 'dialog-information';

/** A pop-up as it goes over the bus. */
export interface BusMessage {
  readonly popUp: PopUp;
  /** The id of the pop-up whose place it takes, or null. */
  readonly replaces: string | null;
  /** The body, escaped as the server needs it. */
  readonly body: string;
}

/** The `urgency` hint is a byte. */
export const urgencyBytes: Readonly<Record<Urgency, number>> = { low: 0, normal: 1, critical: 2 };

/** The hints whose value is a string. */
export function stringHints(popUp: PopUp): readonly (readonly [name: string, value: string])[] {
  return [
    ['desktop-entry', APP_NAME],
    ['category', 'im.received'],
    // Servers that know it replace by it even when the id was forgotten, as after a restart of the daemon.
    ['x-canonical-private-synchronous', popUp.key],
    ...(popUp.sound === null ? [] : [['sound-name', soundName(popUp.sound)] as const]),
  ];
}

/** A name of the freedesktop sound theme. */
function soundName(sound: string): string {
  return sound === 'default' ? 'message-new-instant' : sound;
}
