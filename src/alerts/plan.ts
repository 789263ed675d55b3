import type { Alert } from '../core/alert.ts';
import type { Decision } from '../core/decision.ts';
import type { NewDelivery } from '../core/delivery.ts';
import type { HookEvent } from '../core/hook-event.ts';
import { isWaiting } from '../core/hook-event.ts';
import type { Plan, Step } from '../core/policy.ts';

export interface Planned {
  /** Null for news that asks for no answer. */
  readonly alert: Alert | null;
  readonly deliveries: readonly NewDelivery[];
  readonly decision: Decision;
}

/** Turns the chosen plans into deliveries with their due times, and opens an alert where an answer is wanted. */
export function plan(
  event: HookEvent,
  plans: readonly Plan[],
  { now, newId }: { readonly now: number; readonly newId: () => string },
): Planned {
  const chosen = merge(plans);
  if (chosen.steps.length === 0) {
    return {
      alert: null,
      deliveries: [],
      decision: { stage: 'plan', verdict: 'stop', reason: `Plan "${chosen.name}" tells nobody` },
    };
  }
  const alert = wantsAnswer(event) ? openAlert(event, chosen, newId()) : null;
  const deliveries = chosen.steps.flatMap((step, index) =>
    step.notify.map((channel) => ({
      id: newId(),
      channel,
      alertId: alert?.id ?? null,
      step: index,
      dueAt: now + step.afterMs,
    })),
  );
  return {
    alert,
    deliveries,
    decision: { stage: 'plan', verdict: 'notify', reason: chosen.steps.map(describe).join('; ') },
  };
}

/** Several plans as one: steps with the same delay become one step, and each channel is told once per delay. */
function merge(plans: readonly Plan[]): Plan {
  const byDelay = new Map<number, Set<string>>();
  for (const step of plans.flatMap(({ steps }) => steps)) {
    const channels = byDelay.get(step.afterMs) ?? new Set();
    for (const channel of step.notify) channels.add(channel);
    byDelay.set(step.afterMs, channels);
  }
  return {
    name: plans.map(({ name }) => name).join(' + '),
    steps: [...byDelay]
      .filter(([, channels]) => channels.size > 0)
      .map(([afterMs, channels]) => ({ afterMs, notify: [...channels] }))
      .toSorted((a, b) => a.afterMs - b.afterMs),
  };
}

function wantsAnswer({ kind }: HookEvent): boolean {
  return isWaiting(kind) || kind === 'turn.failed' || kind === 'turn.done';
}

function openAlert(event: HookEvent, chosen: Plan, id: string): Alert {
  return {
    id,
    sessionKey: event.sessionKey,
    state: 'open',
    kind: event.kind,
    event: event.event,
    subject: event.subject,
    eventId: event.id,
    openedAt: event.at,
    closedAt: null,
    closedBy: null,
    plan: chosen,
  };
}

function describe(step: Step): string {
  const when = step.afterMs === 0 ? 'at once' : `after ${step.afterMs} ms`;
  return `${when}: ${step.notify.join(', ')}`;
}
