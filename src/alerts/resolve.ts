import type { Alert } from '../core/alert.ts';
import type { Decision } from '../core/decision.ts';
import type { HookEvent } from '../core/hook-event.ts';
import { isWaiting } from '../core/hook-event.ts';
import type { Cancellation } from '../core/store.ts';

export interface Resolved {
  readonly alert: Alert;
  readonly cancel: Cancellation;
  readonly decision: Decision;
}

/**
 * Closes the live alert when the session shows a sign of life: somebody answered. What was not sent to people yet is
 * cancelled; channels that serve machines still get it.
 *
 * @returns null when the event is no sign of life
 */
export function resolve(
  event: HookEvent,
  alert: Alert | null,
  machineChannels: readonly string[],
): Resolved | null {
  if (alert === null || !isSignOfLife(event, alert) || event.at < alert.openedAt) return null;
  return {
    alert: { ...alert, state: 'resolved', closedAt: event.at, closedBy: event.id },
    cancel: {
      alertId: alert.id,
      fromStep: 0,
      exceptChannels: machineChannels,
      reason: `Answered before it was sent: ${event.kind} (event ${event.id}) came after it`,
    },
    decision: {
      stage: 'resolve',
      verdict: 'note',
      reason: `Resolves the alert of event ${alert.eventId} (${alert.kind})`,
    },
  };
}

/** Something that only happens after a person has answered, or that makes an answer pointless. */
function isSignOfLife(event: HookEvent, alert: Alert): boolean {
  switch (event.kind) {
    case 'prompt':
    case 'turn.done':
    case 'turn.failed':
    case 'turn.interrupted':
    case 'notice.over':
      return true;
    // A headless run ends right after its turn: that answers no "done" and no "failed", which nobody has seen yet.
    case 'session.end':
      return isWaiting(alert.kind) || isLeftByPerson(event);
    case 'session.start':
      return event.source !== 'compact';
    // A subagent's call answers its own question only. droid does not say which agent made a call.
    case 'tool.done':
      return !event.subagent || event.agent === 'droid' || isAbout(event, alert);
    case 'activity':
      return event.backgroundWork;
    case 'needs.permission':
    case 'needs.input':
    case 'subagent.done':
    case 'notice':
    case 'digest':
    case 'test':
      return false;
  }
}

const endsOfPeople: readonly string[] = ['clear', 'logout', 'prompt_input_exit'];

/** Somebody typed the end at the prompt, and saw what stands above it. */
function isLeftByPerson({ reason, attended }: HookEvent): boolean {
  return attended !== false && endsOfPeople.includes(reason ?? '');
}

function isAbout({ subject }: HookEvent, alert: Alert): boolean {
  return subject !== null && subject === alert.subject;
}
