import type { Notification } from '../../core/notification.ts';

/**
 * A notification as programs get it: the body of a webhook, the stdin of a command. `version` changes when a field is
 * removed or changes its meaning; new fields may be added at any time.
 */
export interface NotificationDocument {
  readonly version: 1;
  /** Identical in every attempt of a delivery, to identify repeats. */
  readonly id: string;
  /** When the event happened, ISO 8601 in UTC. */
  readonly at: string;
  readonly kind: Notification['kind'];
  readonly severity: Notification['severity'];
  readonly agent: Notification['agent'];
  /** The agent's own name of the event. */
  readonly event: string;
  readonly project: string | null;
  /** The owner of the agent; `user` is null for a paired machine. */
  readonly origin: Notification['origin'];
  readonly session: {
    readonly id: string | null;
    readonly title: string | null;
    readonly computer: string | null;
    /** How long the agent worked in it, ms. */
    readonly activeMs: number | null;
    readonly credits: Notification['credits'];
  };
  /** The decision requested from a person, such as `{ action: 'run', text: 'npm publish', options: [] }`. */
  readonly asked: Notification['asked'];
  readonly title: string;
  readonly body: string;
  /** Length of the turn, ms. */
  readonly durationMs: number | null;
  /** True if an earlier attempt may have arrived. */
  readonly possibleDuplicate: boolean;
}

/** Makes the document of a notification. */
export function notificationDocument(notification: Notification): NotificationDocument {
  const { deliveryId: id, at, kind, severity, agent, event, project, origin } = notification;
  const { sessionId, sessionTitle, computer, activeMs, credits } = notification;
  const { asked, title, body, durationMs, possibleDuplicate } = notification;
  const happened = { at: new Date(at).toISOString(), kind, severity, agent, event };
  const session = { id: sessionId, title: sessionTitle, computer, activeMs, credits };
  const texts = { asked, title, body, durationMs, possibleDuplicate };
  return { version: 1, id, ...happened, project, origin, session, ...texts };
}
