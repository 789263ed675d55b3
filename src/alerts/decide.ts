import type { Alert } from '../core/alert.ts';
import type { Decision } from '../core/decision.ts';
import type { NewDelivery } from '../core/delivery.ts';
import type { HookEvent } from '../core/hook-event.ts';
import type { Policy } from '../core/policy.ts';
import type { Presence } from '../core/presence.ts';
import type { Session } from '../core/session.ts';
import type { Cancellation, Effects, Memory } from '../core/store.ts';
import { classify } from './classify.ts';
import { gate } from './gate.ts';
import type { Planned, PlannedMessage } from './plan.ts';
import { openAlert, plan, wantsAnswer } from './plan.ts';
import { quietChannels } from './quiet.ts';
import { repeat } from './repeat.ts';
import { resolve } from './resolve.ts';
import type { EndedTurn } from './route.ts';
import { route } from './route.ts';
import { track } from './track.ts';

export interface Circumstances {
  readonly policy: Policy;
  /** Wall time of the decision, Unix ms. */
  readonly now: number;
  /** What is known of the person; null before anybody has looked. */
  readonly presence: Presence | null;
  /** Globally unique, time-ordered ids for alerts and deliveries. */
  readonly newId: () => string;
}

/**
 * Decides what an event means for its session and who hears of it. Pure: everything it knows is in the arguments,
 * everything it wants is in the effects. A stage that stops an event leaves its reason as the last decision.
 */
export function decide(memory: Memory, event: HookEvent, circumstances: Circumstances): Effects {
  const classified = classify(event, memory.duplicateOf);
  if (classified.verdict === 'stop') return untouched([classified]);
  const repeated = repeat(event, memory.alert);
  if (repeated !== null) return untouched([classified, repeated]);

  const { policy, now, newId } = circumstances;
  const { session, decision: tracked } = track(memory.session, event);
  const decisions: Decision[] = [classified, tracked];
  const closed = closeAlert(memory.alert, event, policy);
  if (closed?.decision) decisions.push(closed.decision);

  const routed = route(event, { turn: endedTurn(event, session), session, now }, policy);
  decisions.push(routed.decision);
  const planned = routed.plans.length === 0 ? null : plan(routed.plans, policy);
  if (planned !== null) decisions.push(planned.decision);

  const opened =
    planned !== null && planned.messages.length > 0 && wantsAnswer(event)
      ? openAlert(event, planned.plan, { id: newId(), expireAfterMs: policy.expireAfterMs })
      : null;
  const superseded = opened !== null && closed === null ? supersede(memory.alert, event) : null;
  const sent = sendOut(planned, { memory, event, circumstances, alertId: opened?.id ?? null });
  decisions.push(...sent.decisions);

  const over = [closed, superseded].filter((one) => one !== null);
  return {
    session,
    alerts: [...over.map(({ alert }) => alert), ...(opened === null ? [] : [opened])],
    cancel: over.map(({ cancel }) => cancel),
    withdraw: over.map(({ cancel: { alertId, reason } }) => ({ alertId, reason })),
    decisions,
    deliveries: sent.deliveries,
  };
}

function untouched(decisions: readonly Decision[]): Effects {
  return { session: null, alerts: [], decisions, deliveries: [], cancel: [], withdraw: [] };
}

function endedTurn(event: HookEvent, session: Session): EndedTurn | null {
  const ends = event.kind === 'turn.done' || event.kind === 'turn.failed';
  return ends ? { ms: session.lastTurnMs } : null;
}

interface Ended {
  readonly alert: Alert;
  readonly cancel: Cancellation;
  readonly decision: Decision | null;
}

function closeAlert(alert: Alert | null, event: HookEvent, policy: Policy): Ended | null {
  return resolve(event, alert, policy.machineChannels);
}

/**
 * A newer reason takes the place of the live alert: one session, one alert. The first step of the older reason still goes
 * out, as it was a question of its own; its escalation does not.
 */
function supersede(alert: Alert | null, event: HookEvent): Ended | null {
  if (alert === null) return null;
  return {
    alert: { ...alert, state: 'resolved', closedAt: event.at, closedBy: event.id },
    cancel: {
      alertId: alert.id,
      fromStep: 1,
      exceptChannels: [],
      reason: `Superseded by ${event.kind} (event ${event.id})`,
    },
    decision: null,
  };
}

interface Sent {
  readonly deliveries: readonly NewDelivery[];
  readonly decisions: readonly Decision[];
}

/** What is due at once passes the gate now; everything else is held until its time. */
function sendOut(
  planned: Planned | null,
  {
    memory,
    event,
    circumstances,
    alertId,
  }: {
    readonly memory: Memory;
    readonly event: HookEvent;
    readonly circumstances: Circumstances;
    readonly alertId: string | null;
  },
): Sent {
  const { policy, now, newId } = circumstances;
  const deliveries: NewDelivery[] = [];
  const decisions: Decision[] = [];
  for (const message of quietChannels(planned?.messages ?? [], { policy, event, now })) {
    const delivery = deliveryOf(message, { id: newId(), alertId, now });
    if (message.afterMs > 0) {
      deliveries.push({ ...delivery, heldFor: 'step' });
      continue;
    }
    const traffic = memory.traffic(message.channel);
    const passage = gate(
      { ...message, event, traffic },
      { ...circumstances, running: null, mutes: memory.mutes },
    );
    if (passage.decision !== null) decisions.push(passage.decision);
    if (passage.type === 'release') deliveries.push({ ...delivery, quietly: passage.quietly });
    if (passage.type === 'hold') {
      deliveries.push({ ...delivery, heldFor: passage.heldFor, dueAt: passage.until });
    }
  }
  return { deliveries, decisions };
}

function deliveryOf(
  { channel, step, repetition, afterMs }: PlannedMessage,
  {
    id,
    alertId,
    now,
  }: { readonly id: string; readonly alertId: string | null; readonly now: number },
): NewDelivery {
  return {
    id,
    channel,
    alertId,
    step,
    repetition,
    dueAt: now + afterMs,
    heldFor: null,
    quietly: false,
  };
}
