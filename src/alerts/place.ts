import type { Alert, Cancellation } from '../core/alert.ts';
import type { Decision } from '../core/decision.ts';
import type { HookEvent } from '../core/hook-event.ts';
import type { Policy } from '../core/policy.ts';
import type { Planned, PlannedMessage } from './plan.ts';
import { openAlert, wantsAnswer } from './plan.ts';

/** Which alert the messages of an event belong to. */
export interface Placed {
  /** Null for news that asks for no answer. */
  readonly alertId: string | null;
  /** Alerts opened or changed. */
  readonly alerts: readonly Alert[];
  readonly cancel: readonly Cancellation[];
  /** What is to be sent of the plan. */
  readonly messages: readonly PlannedMessage[];
  readonly decision: Decision | null;
}

/**
 * Opens an alert for an event that wants an answer. One session, one alert: a newer reason takes the place of the live
 * one. Hooks run in parallel and may arrive reversed, so the time of the event decides which is newer.
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
): Placed {
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
export function placeNowhere(messages: readonly PlannedMessage[]): Placed {
  return { alertId: null, alerts: [], cancel: [], messages, decision: null };
}

/**
 * The escalation of the older reason is over. What went into the outbox of its first step is still sent, since it was a
 * question of its own; what is held of it is cancelled when it is due, because its alert is no longer open.
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
 * An older reason that arrives late is told as it would have been in time: at once, and no more after the newer one. Who has
 * seen the newer one has been with the session since, so only programs are told then.
 */
function joinNewer(
  live: Alert,
  messages: readonly PlannedMessage[],
  programChannels: readonly string[],
): Placed {
  const isSeen = live.state === 'acknowledged';
  const told = messages.filter(
    ({ afterMs, channel }) => afterMs === 0 && (!isSeen || programChannels.includes(channel)),
  );
  const decision = whyJoined(live, { isTold: told.length > 0, isSeen });
  return { alertId: live.id, alerts: [], cancel: [], messages: told, decision };
}

function whyJoined(
  { eventId, kind }: Alert,
  { isTold, isSeen }: { readonly isTold: boolean; readonly isSeen: boolean },
): Decision {
  const newer = `the newer alert of event ${eventId} (${kind})`;
  if (isTold) {
    const how = isSeen
      ? 'it was acknowledged, so programs alone are told'
      : 'told at once, no later step';
    return { stage: 'plan', verdict: 'note', reason: `Joins ${newer}: ${how}` };
  }
  const why = isSeen ? 'that was acknowledged' : 'it has later steps only';
  return { stage: 'plan', verdict: 'stop', reason: `Left to ${newer}: ${why}` };
}
