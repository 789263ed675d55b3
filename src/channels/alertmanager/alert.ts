import { z } from 'zod';

import type { Notification } from '../../core/notification.ts';
import { sha256 } from '../../platform/crypto.ts';
import { cutText, displayLine } from '../../text/sanitize.ts';

/**
 * An alert as Alertmanager takes it (https://prometheus.io/docs/alerting/latest/clients/). Its labels identify it: one
 * with the same labels updates it, and it is over after `endsAt`.
 */
export interface PostedAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** ISO 8601. */
  readonly startsAt: string;
  readonly endsAt: string;
}

/** What was posted, for its end. */
export const alertReference = z.object({
  labels: z.record(z.string(), z.string()),
  annotations: z.record(z.string(), z.string()),
  startsAt: z.iso.datetime(),
});
export type AlertReference = z.output<typeof alertReference>;

/** Ours: Alertmanager has no limits, but its receivers show all of them. */
const LABEL_MAX = 128;
const SUMMARY_MAX = 300;
const DESCRIPTION_MAX = 4_000;

/**
 * How long an alert lasts unless something ends it earlier, ms: like one of hookbell (`alerts.expire_after`). Sent with the
 * alert, because Alertmanager would otherwise end it after its `resolve_timeout`, 5 minutes.
 */
const ENDS_AFTER_MS = 12 * 3_600_000;
/** Lifetime of a message without an alert, which nothing else ends: the default of `resolve_timeout`. */
const MESSAGE_ENDS_AFTER_MS = 5 * 60_000;

/**
 * The alert of a notification. Labels hold short facts only, the same for each message about one request; texts, which
 * may change, are annotations.
 */
export function alertOf(
  notification: Notification,
  extraLabels: Readonly<Record<string, string>>,
): PostedAlert {
  const { alertId, at, title, body, origin, deliveryId } = notification;
  const facts: Readonly<Record<string, string | null>> = {
    alertname: 'Hookbell',
    kind: notification.kind,
    severity: notification.severity,
    agent: notification.agent,
    project: notification.project,
    user: origin.user,
    host: origin.host,
    session: notification.sessionId,
    alert: sha256(alertId ?? deliveryId).slice(0, 16),
  };
  const labels = Object.entries(facts).flatMap(([name, fact]) => {
    const value = cutText(displayLine(fact ?? ''), LABEL_MAX);
    return value === '' ? [] : [[name, value]];
  });
  const endsAfterMs = alertId === undefined ? MESSAGE_ENDS_AFTER_MS : ENDS_AFTER_MS;
  return {
    labels: { ...extraLabels, ...Object.fromEntries(labels) },
    annotations: {
      summary: cutText(title, SUMMARY_MAX).toWellFormed(),
      description: cutText(body, DESCRIPTION_MAX).toWellFormed(),
    },
    startsAt: new Date(at).toISOString(),
    endsAt: new Date(at + endsAfterMs).toISOString(),
  };
}

/** The end of an alert: never before its start, which Alertmanager refuses. */
export function alertEndOf(
  { labels, annotations, startsAt }: AlertReference,
  now: number,
): PostedAlert {
  const end = Math.max(now, Date.parse(startsAt));
  return { labels, annotations, startsAt, endsAt: new Date(end).toISOString() };
}
