import type { HookEvent } from '../core/hook-event.ts';
import type { Notification } from '../core/notification.ts';
import { severities, severityOf } from '../core/notification.ts';
import { cutText } from '../core/sanitize.ts';

const MOST_LINES = 10;
const LINE_LENGTH = 160;

export interface Texts {
  /** One line, never empty. */
  readonly title: string;
  /** May hold line feeds, never empty. */
  readonly body: string;
  /** As those of a notification. */
  readonly details?: string;
  readonly markdown?: string;
}

/** The events a message tells of, the most urgent first, then the oldest. */
export function byUrgency(events: readonly HookEvent[]): readonly HookEvent[] {
  return events.toSorted((a, b) => gravity(b) - gravity(a) || a.at - b.at);
}

/**
 * Makes of the notification of the most urgent event one that tells of others as well.
 *
 * @param all by urgency, that event first
 * @param texts clean
 */
export function summarize(
  notification: Notification,
  all: readonly HookEvent[],
  texts: (event: HookEvent) => Texts,
): Notification {
  const { markdown: _, ...rest } = notification;
  const lines = all.slice(0, MOST_LINES).map((one) => lineOf(texts(one)));
  const left = all.length - lines.length;
  return {
    ...rest,
    title: `${notification.title} · ${moreText(all)}`,
    body: [...lines, ...(left === 0 ? [] : [`and ${left} more`])].join('\n'),
  };
}

/** What the message holds besides its headline, such as "and 2 other sessions". */
function moreText(all: readonly HookEvent[]): string {
  const others = all.length - 1;
  const sessions = new Set(all.map(({ sessionKey }) => sessionKey)).size;
  if (sessions === all.length)
    return `and ${others} other ${others === 1 ? 'session' : 'sessions'}`;
  return sessions === 1 ? `and ${others} more` : `and ${others} more from ${sessions} sessions`;
}

function lineOf({ title, body }: Texts): string {
  return cutText(`${title}: ${body.split('\n')[0] ?? ''}`, LINE_LENGTH);
}

function gravity(event: HookEvent): number {
  return severities.indexOf(severityOf(event));
}
