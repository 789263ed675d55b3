import type { HookEvent } from '../core/hook-event.ts';
import type { Notification, Severity } from '../core/notification.ts';
import { severities, severityOf } from '../core/notification.ts';
import { cutText } from '../core/sanitize.ts';

const MOST_LINES = 10;
const LINE_LENGTH = 160;

export interface Texts {
  /** One line, never empty. */
  readonly title: string;
  /** May hold line feeds, never empty. */
  readonly body: string;
  /** As that of a notification. */
  readonly details?: string;
}

/** Makes of the notification of one event one that tells of others as well, the most urgent first, then the oldest. */
export function summarize(
  notification: Notification,
  event: HookEvent,
  {
    also,
    texts,
  }: {
    readonly also: readonly HookEvent[];
    /** Clean. */
    readonly texts: (event: HookEvent) => Texts;
  },
): Notification {
  const all = [event, ...also].toSorted((a, b) => gravity(b) - gravity(a) || a.at - b.at);
  const lines = all.slice(0, MOST_LINES).map((one) => lineOf(texts(one)));
  const left = all.length - lines.length;
  return {
    ...notification,
    title: `${notification.title} (+${also.length} more${inSessions(event, also)})`,
    body: [...lines, ...(left === 0 ? [] : [`and ${left} more`])].join('\n'),
    severity: gravest(all.map(severityOf)),
  };
}

function inSessions(event: HookEvent, also: readonly HookEvent[]): string {
  const count = new Set([event, ...also].map(({ sessionKey }) => sessionKey)).size;
  return count === 1 ? '' : ` in ${count} sessions`;
}

function lineOf({ title, body }: Texts): string {
  return cutText(`${title}: ${body.split('\n')[0] ?? ''}`, LINE_LENGTH);
}

function gravity(event: HookEvent): number {
  return severities.indexOf(severityOf(event));
}

function gravest(found: readonly Severity[]): Severity {
  return severities.findLast((severity) => found.includes(severity)) ?? 'info';
}
