import type { Alert } from '../core/alert.ts';
import type { Decision } from '../core/decision.ts';
import { type HookEvent, isWaiting } from '../core/hook-event.ts';
import type { Addressee } from '../core/hub/directory.ts';
import type { Plan, Policy, Step, StepCondition } from '../core/policy.ts';
import { delayText } from '../text/duration.ts';

/** A planned message: the channel and the time. */
export interface PlannedMessage {
  readonly channel: string;
  readonly step: number;
  /** 0 for the first time, counting up where the step is repeated. */
  readonly repetition: number;
  /** Delay between the event and the first run of the step, ms. */
  readonly delayMs: number;
  readonly afterMs: number;
  readonly condition: StepCondition | null;
  /** Whom personal channels notify; absent: the owner of the machine. */
  readonly to?: Addressee;
  /** Address of the person, once found; absent: the channel is not personal. */
  readonly recipient?: string;
}

export interface Planned {
  readonly plan: Plan;
  readonly messages: readonly PlannedMessage[];
  readonly decision: Decision;
}

/** Lists the messages of the chosen plans. */
export function plan(plans: readonly Plan[], { noise }: Pick<Policy, 'noise'>): Planned {
  const chosen = merge(plans);
  if (chosen.steps.length === 0) {
    const reason = `Plan "${chosen.name}" notifies no channel`;
    return { plan: chosen, messages: [], decision: { stage: 'plan', verdict: 'stop', reason } };
  }
  const reason = chosen.steps.map(describe).join('; ');
  const messages = chosen.steps.flatMap((step, index) => messagesOf(step, index, noise.flapMs));
  return {
    plan: chosen,
    messages: messages.filter((message, place) => !isRepeated(message, place, messages)),
    decision: { stage: 'plan', verdict: 'notify', reason },
  };
}

/** Several plans as one, in the order of their delays. Plain steps of one delay are one step. */
function merge(plans: readonly Plan[]): Plan {
  const steps = plans
    .flatMap((one) => one.steps)
    .toSorted((left, right) => left.afterMs - right.afterMs);
  const joined: Step[] = [];
  for (const step of steps.map((one, place) => withoutCovered(one, place, steps))) {
    const before = joined.at(-1);
    if (step.notify.length === 0) continue;
    if (before?.afterMs === step.afterMs && isPlain(before) && isPlain(step)) {
      joined[joined.length - 1] = { ...before, notify: [...before.notify, ...step.notify] };
    } else {
      joined.push(step);
    }
  }
  return { name: plans.map(({ name }) => name).join(' + '), steps: joined };
}

/** The step without the channels that another step notifies at all of its times anyway. */
function withoutCovered(step: Step, place: number, steps: readonly Step[]): Step {
  const covering = steps.filter(
    (other, index) => covers(other, step) && (index < place || !covers(step, other)),
  );
  const notified = covering.flatMap(({ notify }) => notify);
  return { ...step, notify: step.notify.filter((channel) => !notified.includes(channel)) };
}

function covers(wide: Step, narrow: Step): boolean {
  const isAsOften = narrow.repeat === null || isSame(wide.repeat, narrow.repeat);
  const isForSame = isSame(wide.to, narrow.to);
  return wide.afterMs === narrow.afterMs && isAsOften && isForSame && holdsWith(wide, narrow);
}

/** A step with a condition may be skipped, so it never takes a channel from a step with another condition or none. */
function holdsWith(wide: Conditional, narrow: Conditional): boolean {
  return wide.condition === null || isSame(wide.condition, narrow.condition);
}

type Conditional = Pick<Step, 'condition'>;

/** Both come from the configuration, which writes their members in the same order. */
function isSame(left: object | null | undefined, right: object | null | undefined): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

/** Repetitions of several steps may coincide: a channel is notified once at a time. */
function isRepeated(
  message: PlannedMessage,
  place: number,
  messages: readonly PlannedMessage[],
): boolean {
  return messages.some(
    (other, index) =>
      index !== place &&
      other.channel === message.channel &&
      other.afterMs === message.afterMs &&
      isSame(other.to, message.to) &&
      holdsWith(other, message) &&
      (index < place || !holdsWith(message, other)),
  );
}

function isPlain({ repeat, condition, to }: Step): boolean {
  return repeat === null && condition === null && to === undefined;
}

/** An alert that repeatedly opens and ends within moments must not reach later steps, however short their delay. */
function messagesOf(step: Step, index: number, flapMs: number): readonly PlannedMessage[] {
  const delayMs = step.afterMs === 0 ? 0 : Math.max(step.afterMs, flapMs);
  const { atMost, everyMs } = step.repeat ?? { atMost: 1, everyMs: 0 };
  return Array.from({ length: atMost }, (_, repetition) => repetition).flatMap((repetition) =>
    step.notify.map((channel) => ({
      channel,
      step: index,
      repetition,
      delayMs,
      afterMs: delayMs + repetition * everyMs,
      condition: step.condition,
      ...(step.to !== undefined && { to: step.to }),
    })),
  );
}

/** True for events whose alert stays open until a person reacts. */
export function wantsAnswer({ kind, failed }: HookEvent): boolean {
  return isWaiting(kind) || ['turn.failed', 'turn.done', 'notice'].includes(kind) || failed;
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
    snoozedUntil: null,
    closedAt: null,
    closedBy: null,
    plan: chosen,
  };
}

function describe({ afterMs, notify, repeat, condition, to }: Step): string {
  const when = afterMs === 0 ? 'immediately' : `after ${delayText(afterMs)}`;
  const again =
    repeat === null ? '' : `, every ${delayText(repeat.everyMs)} up to ${repeat.atMost} times`;
  const where = condition === null ? '' : ', if its condition holds';
  return `${when}: ${notify.join(', ')}${toText(to)}${again}${where}`;
}

function toText(to: Addressee | undefined): string {
  if (to === undefined || to.type === 'owner') return '';
  if (to.type === 'person') return ` to ${to.email}`;
  return ` to the group "${to.name}", one every ${delayText(to.eachMs)}`;
}
