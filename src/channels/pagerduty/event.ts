import { type Notification, originText, type Severity } from '../../core/notification.ts';
import { sha256 } from '../../platform/crypto.ts';
import { cutText, displayLine, joinedLines } from '../../text/sanitize.ts';

/**
 * An event without its routing key, in the Common Event Format
 * (https://developer.pagerduty.com/docs/send-alert-event).
 */
export type PagerDutyEvent =
  | {
      readonly event_action: 'trigger';
      readonly dedup_key: string;
      readonly client: string;
      readonly payload: {
        readonly summary: string;
        readonly source: string;
        readonly severity: 'critical' | 'warning' | 'info';
        /** ISO 8601. */
        readonly timestamp: string;
        readonly component?: string;
        readonly group: string;
        readonly class: string;
        readonly custom_details: Readonly<Record<string, string>>;
      };
    }
  | { readonly event_action: 'acknowledge' | 'resolve'; readonly dedup_key: string };

/** PagerDuty refuses more than 1,024; a push shows less. */
const SUMMARY_MAX = 500;
/** Ours, of every other short field. */
const FIELD_MAX = 200;
/** Ours: the whole event may have 512 KB. */
const TEXT_MAX = 20_000;

const severities: Readonly<Record<Severity, 'critical' | 'warning' | 'info'>> = {
  critical: 'critical',
  warning: 'warning',
  info: 'info',
};

/** A key has at most 255 characters, none of them written by an agent. */
export const dedupKeyForm = /^hookbell-[0-9a-f]{32}$/;

/** The key of an alert's incident. */
export function dedupKeyOf({
  alertId,
  deliveryId,
}: {
  readonly alertId?: string | undefined;
  readonly deliveryId: string;
}): string {
  return `hookbell-${sha256(alertId ?? deliveryId).slice(0, 32)}`;
}

/** The event that opens the incident of a notification, or adds to it. */
export function triggerOf(notification: Notification) {
  const { alertId, deliveryId, title, body, origin, severity, project, sessionTitle, sessionId } =
    notification;
  const session = short(sessionTitle ?? sessionId ?? '');
  return {
    event_action: 'trigger',
    dedup_key: dedupKeyOf({ alertId, deliveryId }),
    client: 'hookbell',
    payload: {
      // Read alone on a phone: what happened, where, and what is asked.
      summary: cutText(`${displayLine(title)} · ${joinedLines(body)}`, SUMMARY_MAX),
      source: short(originText(origin)),
      severity: severities[severity],
      timestamp: new Date(notification.at).toISOString(),
      ...(project !== null && { component: short(project) }),
      group: notification.agent,
      class: notification.kind,
      custom_details: {
        text: cutText(body, TEXT_MAX),
        ...(session !== '' && { session }),
      },
    },
  } as const satisfies PagerDutyEvent;
}

function short(text: string): string {
  return cutText(displayLine(text), FIELD_MAX);
}
