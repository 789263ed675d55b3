import type { Alert, Cancellation } from '../core/alert.ts';
import type { Decision } from '../core/decision.ts';
import type { HookEvent } from '../core/hook-event.ts';
import type { Policy } from '../core/policy.ts';
import { type Planned, type PlannedMessage, openAlert, wantsAnswer } from './plan.ts';

/** The alert that the messages of an event belong to. */
export interface AssignedEvent {
  /** Null for an event that needs no answer. */
  readonly alertId: string | null;
  /** Alerts opened or changed. */
  readonly alerts: readonly Alert[];
  readonly cancel: readonly Cancellation[];
  /** Messages of the plan to send. */
  readonly messages: readonly PlannedMessage[];
  readonly decision: Decision | null;
}

/**
 * Opens an alert for an event that needs an answer. One session, one alert: a newer reason supersedes the live one.
 * Hooks run in parallel and may arrive reversed, so the time of the event decides which is newer.
 *
 * @param live the alert of the session that the event does not close
 */
export function assignAlert(
  planned: Planned,
  { event, live }: { readonly event: HookEvent; readonly live: Alert | null },
  {
    id,
    expireAfterMs,
    programChannels,
  }: { readonly id: string } & Pick<Policy, 'expireAfterMs' | 'programChannels'>,
): AssignedEvent {
  const { messages } = planned;
  const nothing = placeNowhere(messages);
  if (messages.length === 0 || !wantsAnswer(event)) return nothing;
  if (live !== null && event.at < live.openedAt) return joinNewer(live, messages, programChannels);

  const opened = openAlert(event, planned.plan, { id, expireAfterMs });
  if (live === null) return { ...nothing, alertId: id, alerts: [opened] };
  const over: Alert = { ...live, state: 'resolved', closedAt: event.at, closedBy: event.id };
  return {
    ...nothing,
    alertId: id,
    alerts: [over, opened],
    cancel: [supersede(live, event)],
  };
}

/** Messages that belong to no alert. */
export function placeNowhere(messages: readonly PlannedMessage[]): AssignedEvent {
  return { alertId: null, alerts: [], cancel: [], messages, decision: null };
}

/**
 * The escalation of the older reason is over. Messages of its first step already in the outbox are still sent, because
 * they ask a separate question; held ones are cancelled when due, because the alert is no longer open.
 */
function supersede(alert: Alert, event: HookEvent): Cancellation {
  return {
    alertId: alert.id,
    fromStep: 1,
    exceptChannels: [],
    reason: `Superseded by ${event.kind} (event ${event.id})`,
  };
}

/**
 * An older reason that arrives late is sent as it would have been in time: its first step immediately, no later step.
 * If the newer alert was acknowledged, someone has seen the session since, so only program channels are notified.
 */
function joinNewer(
  live: Alert,
  messages: readonly PlannedMessage[],
  programChannels: readonly string[],
): AssignedEvent {
  const isSeen = live.state === 'acknowledged';
  const sent = messages.filter(
    ({ afterMs, channel }) => afterMs === 0 && (!isSeen || programChannels.includes(channel)),
  );
  const decision = whyJoined(live, { isSent: sent.length > 0, isSeen });
  return { alertId: live.id, alerts: [], cancel: [], messages: sent, decision };
}

function whyJoined(
  { eventId, kind }: Alert,
  { isSent, isSeen }: { readonly isSent: boolean; readonly isSeen: boolean },
): Decision {
  const newer = `the newer alert of event ${eventId} (${kind})`;
  if (isSent) {
    const how = isSeen
      ? 'it was acknowledged, so only program channels are notified'
      : 'sent immediately, without later steps';
    return { stage: 'plan', verdict: 'note', reason: `Joins ${newer}: ${how}` };
  }
  const why = isSeen ? 'that was acknowledged' : 'it has only later steps';
  return { stage: 'plan', verdict: 'stop', reason: `Left to ${newer}: ${why}` };
}
