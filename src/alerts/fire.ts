import type { Decision } from '../core/decision.ts';
import type { HoldReason } from '../core/delivery.ts';
import { type Policy, type PresenceOf, unknownPresence } from '../core/policy.ts';
import {
  type DueDelivery,
  type DueMemory,
  type DueResult,
  type GateResult,
  type LaterDue,
  noTraffic,
  type RunningOf,
  type Traffic,
} from '../core/due.ts';
import { gate, type GateCircumstances } from './gate.ts';

export interface FireCircumstances {
  readonly policy: Policy;
  readonly now: number;
  readonly presenceOf: PresenceOf;
  /** Whether a session runs, as the vendor's service reports it. */
  readonly runningOf: RunningOf;
}

/** Deliveries held for these reasons and released in one round are sent as one message. */
const gathered: readonly HoldReason[] = ['quiet', 'mute', 'burst', 'budget'];

/** Decides about the held deliveries of one channel that are due. Pure. */
export function releaseDue(
  memory: DueMemory,
  circumstances: FireCircumstances,
): readonly DueResult[] {
  const { policy, now, presenceOf, runningOf } = circumstances;
  const released: DueDelivery[] = [];
  let summary: Summary | null = null;

  return memory.due.map((due): DueResult => {
    // Presence cannot be checked for an unknown session; one that arrived during the check is checked next.
    const key = due.session?.key ?? null;
    const presence = key === null ? unknownPresence : presenceOf(key);
    // A session that the user has continued runs for that reason; the turn that ended before may still be over.
    const running = key !== null && isOpen(due) ? runningOf(key) : 'unknown';
    const around: GateCircumstances = { policy, mutes: memory.mutes, presence, running, now };
    const over = whyOver(due, around);
    if (over !== null) return { type: 'cancel', decision: over };

    const traffic = withReleased(memory.traffic(due), released, { due, now });
    const fate = passageOf(due.delivery, due, { traffic, around });
    const isGathered = due.delivery.heldFor !== null && gathered.includes(due.delivery.heldFor);
    if (isGathered && summary !== null && isWanted(fate)) return join(summary, due);
    if (fate.type === 'release') {
      released.push(due);
      if (isGathered) summary = { carrier: due.delivery.id, eventIds: new Set([due.event.id]) };
    }
    return fate;
  });
}

function isOpen({ alert }: DueDelivery): boolean {
  return alert === null || alert.state === 'open';
}

/**
 * Program channels get every event: a delivery that waited only for the service's answer is sent even if the alert is
 * over or a later step is due as well, which would replace it on channels for people.
 */
function isOwed({ delivery }: DueDelivery, { policy }: GateCircumstances): boolean {
  return delivery.heldFor === 'running' && policy.programChannels.includes(delivery.channel);
}

/**
 * An answer cancels settling deliveries, so one that remains of a closed alert was superseded by a newer request; an
 * answer to that request may not answer this one.
 */
function isSuperseded({ delivery, alert }: DueDelivery): boolean {
  return delivery.heldFor === 'settle' && alert?.state === 'resolved';
}

function whyOver(due: DueDelivery, around: GateCircumstances): Decision | null {
  const { delivery, alert } = due;
  if (isOwed(due, around)) return null;
  if (alert !== null && !isOpen(due) && !isSuperseded(due)) {
    return stop(`"${delivery.channel}" is not notified: the alert is ${alert.state}`);
  }
  // After a suspension several steps are due together; people need one notification, from the last of them.
  if (due.laterDue.some((later) => takesItsPlace(later, due, around))) {
    return stop(`"${delivery.channel}" is skipped: a later step is due as well`);
  }
  return null;
}

/**
 * A later step that would not notify a person now replaces nothing, or no one would be notified; nor does one that the
 * plan schedules for the same time.
 */
function takesItsPlace(later: LaterDue, due: DueDelivery, around: GateCircumstances): boolean {
  const { step, delayMs } = due.delivery;
  if (later.step !== step && later.delayMs <= delayMs) return false;
  if (around.policy.programChannels.includes(later.channel)) return false;
  return passageOf(later, due, { traffic: noTraffic, around }).type === 'release';
}

function passageOf(
  { channel, step, delayMs, condition }: LaterDue,
  { event }: DueDelivery,
  { traffic, around }: { readonly traffic: Traffic; readonly around: GateCircumstances },
): GateResult {
  return gate({ channel, step, delayMs, condition, event, traffic }, around);
}

/** One more line in a message that is sent anyway does not interrupt again, so traffic limits do not hold it. */
function isWanted(passage: GateResult): boolean {
  if (passage.type === 'hold') return passage.heldFor === 'burst' || passage.heldFor === 'budget';
  return passage.type === 'release';
}

/** The message that combines held events. */
interface Summary {
  readonly carrier: string;
  readonly eventIds: Set<string>;
}

/** Several messages about one event, such as the repetitions of a step, become one line. */
function join({ carrier, eventIds }: Summary, { delivery, event }: DueDelivery): DueResult {
  if (eventIds.has(event.id)) {
    const decision = stop(`"${delivery.channel}" already gets this event in delivery ${carrier}`);
    return { type: 'cancel', decision };
  }
  eventIds.add(event.id);
  const reason = `"${delivery.channel}" gets this event together with others in delivery ${carrier}`;
  return { type: 'join', carrier, decision: { stage: 'throttle', verdict: 'notify', reason } };
}

function stop(reason: string): Decision {
  return { stage: 'plan', verdict: 'stop', reason };
}

/** Deliveries released in this round count as sent. */
function withReleased(
  traffic: Traffic,
  released: readonly DueDelivery[],
  { due, now }: { readonly due: DueDelivery; readonly now: number },
): Traffic {
  const ofSession = released.filter(({ event }) => event.sessionKey === due.event.sessionKey);
  const after =
    (count: number, earlier: Traffic['channel']) =>
    (nth: number): number | null =>
      nth <= count ? now : earlier(nth - count);
  return {
    channel: after(released.length, traffic.channel),
    session: after(ofSession.length, traffic.session),
    pausedUntil: traffic.pausedUntil,
  };
}
