import type { Alert } from '../core/alert.ts';
import type { Decision } from '../core/decision.ts';
import type { HookEvent } from '../core/hook-event.ts';
import { isWaiting } from '../core/hook-event.ts';
import type { Plan, Policy, Step, StepCondition } from '../core/policy.ts';

/** A message a plan asks for: which channel, and when. */
export interface PlannedMessage {
  readonly channel: string;
  readonly step: number;
  /** 0 for the first time, counting up where the step is repeated. */
  readonly repetition: number;
  readonly afterMs: number;
  readonly condition: StepCondition | null;
}

export interface Planned {
  readonly plan: Plan;
  readonly messages: readonly PlannedMessage[];
  readonly decision: Decision;
}

/** Works out which messages the chosen plans ask for. */
export function plan(plans: readonly Plan[], { noise }: Pick<Policy, 'noise'>): Planned {
  const chosen = merge(plans);
  if (chosen.steps.length === 0) {
    const reason = `Plan "${chosen.name}" tells nobody`;
    return { plan: chosen, messages: [], decision: { stage: 'plan', verdict: 'stop', reason } };
  }
  const reason = chosen.steps.map(describe).join('; ');
  return {
    plan: chosen,
    messages: chosen.steps.flatMap((step, index) => messagesOf(step, index, noise.flapMs)),
    decision: { stage: 'plan', verdict: 'notify', reason },
  };
}

/**
 * Several plans as one, in the order of their delays; a channel is told once per delay. Plain steps of one delay are one
 * step. A step with a condition may be left out, so it never takes a channel from another one.
 */
function merge(plans: readonly Plan[]): Plan {
  const steps = plans
    .flatMap((one) => one.steps)
    .toSorted((left, right) => left.afterMs - right.afterMs);
  const unconditional = steps.filter(({ condition }) => condition === null);
  const told = new Set<string>();
  const merged = steps.map((step) => {
    const notify = step.notify.filter((channel) => {
      const isCertain = unconditional.some(
        ({ afterMs, notify: others }) => afterMs === step.afterMs && others.includes(channel),
      );
      if (isCertain && step.condition !== null) return false;
      const key = `${step.afterMs} ${channel} ${JSON.stringify(step.condition)}`;
      return !told.has(key) && told.add(key);
    });
    return { ...step, notify };
  });
  const joined: Step[] = [];
  for (const step of merged.filter(({ notify }) => notify.length > 0)) {
    const before = joined.at(-1);
    if (before?.afterMs === step.afterMs && isPlain(before) && isPlain(step)) {
      joined[joined.length - 1] = { ...before, notify: [...before.notify, ...step.notify] };
    } else {
      joined.push(step);
    }
  }
  return { name: plans.map(({ name }) => name).join(' + '), steps: joined };
}

function isPlain({ repeat, condition }: Step): boolean {
  return repeat === null && condition === null;
}

/** An alert that opens and ends at once, again and again, must not reach the later steps however short their delay. */
function messagesOf(step: Step, index: number, flapMs: number): readonly PlannedMessage[] {
  const afterMs = step.afterMs === 0 ? 0 : Math.max(step.afterMs, flapMs);
  const { atMost, everyMs } = step.repeat ?? { atMost: 1, everyMs: 0 };
  return Array.from({ length: atMost }, (_, repetition) => repetition).flatMap((repetition) =>
    step.notify.map((channel) => ({
      channel,
      step: index,
      repetition,
      afterMs: afterMs + repetition * everyMs,
      condition: step.condition,
    })),
  );
}

/** True for what stays open until somebody reacts. */
export function wantsAnswer({ kind, failed }: HookEvent): boolean {
  return isWaiting(kind) || kind === 'turn.failed' || kind === 'turn.done' || failed;
}

export function openAlert(
  event: HookEvent,
  chosen: Plan,
  { id, expireAfterMs }: { readonly id: string; readonly expireAfterMs: number },
): Alert {
  return {
    id,
    sessionKey: event.sessionKey,
    state: 'open',
    kind: event.kind,
    event: event.event,
    subject: event.subject,
    eventId: event.id,
    openedAt: event.at,
    expiresAt: event.receivedAt + expireAfterMs,
    acknowledgedAt: null,
    closedAt: null,
    closedBy: null,
    plan: chosen,
  };
}

function describe({ afterMs, notify, repeat, condition }: Step): string {
  const when = afterMs === 0 ? 'at once' : `after ${afterMs} ms`;
  const again = repeat === null ? '' : `, every ${repeat.everyMs} ms up to ${repeat.atMost} times`;
  const where = condition === null ? '' : ', if its condition holds then';
  return `${when}: ${notify.join(', ')}${again}${where}`;
}
