import type { Alert } from '../core/alert.ts';
import type { Decision } from '../core/decision.ts';
import type { HookEvent } from '../core/hook-event.ts';
import type { Policy } from '../core/policy.ts';
import type { Session } from '../core/session.ts';
import type { Cancellation, Effects, Memory } from '../core/store.ts';
import { classify } from './classify.ts';
import { plan } from './plan.ts';
import { repeat } from './repeat.ts';
import { resolve } from './resolve.ts';
import type { EndedTurn } from './route.ts';
import { route } from './route.ts';
import { track } from './track.ts';

export interface Circumstances {
  readonly policy: Policy;
  /** Wall time of the decision, Unix ms. */
  readonly now: number;
  /** Globally unique, time-ordered ids for alerts and deliveries. */
  readonly newId: () => string;
}

/**
 * Decides what an event means for its session and who hears of it. Pure: everything it knows is in the arguments,
 * everything it wants is in the effects. A stage that stops an event leaves its reason as the last decision.
 */
export function decide(
  memory: Memory,
  event: HookEvent,
  { policy, now, newId }: Circumstances,
): Effects {
  const classified = classify(event, memory.duplicateOf);
  if (classified.verdict === 'stop') return untouched([classified]);
  const repeated = repeat(event, memory.alert);
  if (repeated !== null) return untouched([classified, repeated]);

  const { session, decision: tracked } = track(memory.session, event);
  const decisions: Decision[] = [classified, tracked];
  const alerts: Alert[] = [];
  const cancel: Cancellation[] = [];
  const resolved = resolve(event, memory.alert, policy.machineChannels);
  if (resolved !== null) {
    alerts.push(resolved.alert);
    cancel.push(resolved.cancel);
    decisions.push(resolved.decision);
  }

  const routed = route(event, endedTurn(event, session), policy);
  decisions.push(routed.decision);
  if (routed.decision.verdict === 'stop') {
    return { session, alerts, cancel, decisions, deliveries: [] };
  }
  const planned = plan(event, routed.plans, { now, newId });
  decisions.push(planned.decision);
  if (planned.alert !== null) {
    if (memory.alert !== null && resolved === null) {
      alerts.push(supersede(memory.alert, event));
      cancel.push(laterSteps(memory.alert, event));
    }
    alerts.push(planned.alert);
  }
  return { session, alerts, cancel, decisions, deliveries: planned.deliveries };
}

function untouched(decisions: readonly Decision[]): Effects {
  return { session: null, alerts: [], decisions, deliveries: [], cancel: [] };
}

function endedTurn(event: HookEvent, session: Session): EndedTurn | null {
  const ends = event.kind === 'turn.done' || event.kind === 'turn.failed';
  return ends ? { ms: session.lastTurnMs } : null;
}

/** A newer reason takes the place of the live alert: one session, one alert. */
function supersede(alert: Alert, event: HookEvent): Alert {
  return { ...alert, state: 'resolved', closedAt: event.at, closedBy: event.id };
}

/** The first step of the older reason still goes out, as it was a question of its own; its escalation does not. */
function laterSteps(alert: Alert, event: HookEvent): Cancellation {
  return {
    alertId: alert.id,
    fromStep: 1,
    exceptChannels: [],
    reason: `Superseded by ${event.kind} (event ${event.id})`,
  };
}
