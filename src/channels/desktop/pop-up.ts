import { TEST_STANDS_MS } from '../../core/hand-made.ts';
import { isWaiting } from '../../core/hook-event.ts';
import type { Notification } from '../../core/notification.ts';
import { toneColours, toneOf } from '../../core/tone.ts';
import { cutText, displayLine, displayText } from '../../core/sanitize.ts';
import { groupName } from '../support/group-name.ts';
import type { DesktopOptions } from './options.ts';
import type { PopUp, Urgency } from './rung.ts';

const MAX_TITLE = 120;
const MAX_BODY = 600;

/** What a notification looks like on the desktop. */
export function popUpOf(notification: Notification, options: DesktopOptions): PopUp {
  const { severity } = notification;
  const expireSeconds = options.expire_seconds[severity];
  const tone = toneOf(notification);
  // No one has to react to a test, so it does not stay.
  const isTest = tone === 'test';
  const { agent, facts, at } = notification;
  const whereabouts = { agent, facts, at };
  return {
    reaction: {
      deliveryId: notification.deliveryId,
      type: 'acknowledged',
      opens: options.click === 'focus' ? whereabouts : null,
    },
    replyUrl: notification.replyLink?.url ?? null,
    // An empty title makes notify-send fail, and text of nothing but control characters is empty once cleaned.
    title: cutText(displayLine(notification.title), MAX_TITLE) || 'hookbell',
    body: cutText(displayText(notification.body), MAX_BODY),
    urgency: notification.quietly ? 'low' : (options.urgency[severity] ?? urgencyOf(notification)),
    colour: toneColours[tone],
    expireMs: expireSeconds === undefined ? null : expireSeconds * 1_000,
    ...(isTest && { urgency: 'normal', expireMs: TEST_STANDS_MS }),
    passing: isTest,
    sound: notification.quietly ? null : soundOf(notification, options),
    key: groupName(notification.groupKey),
    whereabouts,
  };
}

function urgencyOf({ kind, severity }: Notification): Urgency {
  if (severity === 'critical' || isWaiting(kind)) return 'critical';
  return kind === 'turn.done' ? 'normal' : 'low';
}

function soundOf({ severity }: Notification, options: DesktopOptions): string | null {
  const chosen = typeof options.sound === 'boolean' ? undefined : options.sound[severity];
  if (typeof chosen === 'string') return chosen;
  const isAudible = chosen ?? (options.sound !== false && severity !== 'info');
  return isAudible ? 'default' : null;
}
