import type { Alert } from '../core/alert.ts';
import type { Decision } from '../core/decision.ts';
import { type HookEvent, isWaiting } from '../core/hook-event.ts';
import { cutText } from '../text/sanitize.ts';

/** What was reported before. */
type Reported = Pick<Alert, 'kind' | 'event' | 'eventId' | 'subject'>;

/**
 * Stops an event that repeats the live alert of its session. Agents send reminders: Claude Code sends `idle_prompt` a
 * minute after a Stop, and `permission_prompt` six seconds after a PermissionRequest.
 *
 * The subject decides, not a time window, which would swallow a second, different prompt.
 *
 * @returns null when the event is new
 */
export function repeat(event: HookEvent, alert: Reported | null): Decision | null {
  // Without a session id several sessions share a key and events cannot be distinguished, so every event is new.
  if (alert === null || event.sessionId === null || !isWaiting(event.kind)) return null;
  const why = sameNews(event, alert);
  if (why === null) return null;
  return {
    stage: 'repeat',
    verdict: 'stop',
    reason: `Already reported by event ${alert.eventId} (${alert.kind}): ${why}`,
  };
}

function sameNews(event: HookEvent, alert: Reported): string | null {
  if (isIdleReminder(event)) return 'this is a reminder of the same alert';
  if (!isWaiting(alert.kind)) return null;
  if (event.subject !== null && event.subject === alert.subject) return 'this is the same question';
  if (isLateNotification(event, alert)) {
    return `this is the late notification of the same "${alert.event}"`;
  }
  return null;
}

const idleTypes: readonly string[] = ['idle_prompt', 'agent_idle'];

/** Older droid builds send no type, so the documented text identifies it. */
export function isIdleReminder(event: HookEvent): boolean {
  if (event.notificationType !== null) return idleTypes.includes(event.notificationType);
  return event.kind === 'needs.input' && /\bwaiting for your input\b/i.test(event.message ?? '');
}

/** Notification types that follow a request event about the same question. */
const lateTypes: Readonly<Record<string, readonly string[]>> = {
  permissionrequest: ['permission_prompt'],
  elicitation: ['elicitation_dialog', 'elicitation_url_dialog'],
};

function isLateNotification(event: HookEvent, alert: Reported): boolean {
  if (event.event.toLowerCase() !== 'notification') return false;
  const types = lateTypes[alert.event.toLowerCase()] ?? [];
  if (event.notificationType !== null) return types.includes(event.notificationType);
  return types.includes('permission_prompt') && event.kind === 'needs.permission';
}

const MOST_OF_TYPE = 80;

/** Records the meaning of the event, and stops a duplicate. */
export function classify(event: HookEvent, duplicateOf: string | null): Decision {
  if (duplicateOf !== null) {
    return {
      stage: 'classify',
      verdict: 'stop',
      reason: `Duplicate of event ${duplicateOf}: the hook ran twice, for example because it is registered in two places`,
    };
  }
  const type =
    event.notificationType === null ? '' : ` (${cutText(event.notificationType, MOST_OF_TYPE)})`;
  const unknown =
    event.isUnknownType === true ? ': the type is not known, so it is taken for a wait' : '';
  const seen =
    event.facts.seen === undefined ? '' : ', seen in the record of its session: no hook ran';
  const inside = event.subagent ? ', inside a subagent' : '';
  const background = event.backgroundWork ? ', with background work still running' : '';
  const wakes = event.wakes === undefined ? '' : ', and the session wakes itself later';
  return {
    stage: 'classify',
    verdict: 'pass',
    reason: `${event.agent} "${event.event}"${type} means ${event.kind}${unknown}${seen}${inside}${background}${wakes}`,
  };
}
