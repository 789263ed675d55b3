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
  /** Whether a session runs, by the word of the vendor's service. */
  readonly runningOf: RunningOf;
}

/** What was held for these reasons and is released in one round is told in one message. */
const gathered: readonly HoldReason[] = ['quiet', 'mute', 'burst', 'budget'];

/** Decides what becomes of held deliveries of one channel whose time has come. Pure. */
export function releaseDue(
  memory: DueMemory,
  circumstances: FireCircumstances,
): readonly DueResult[] {
  const { policy, now, presenceOf, runningOf } = circumstances;
  const released: DueDelivery[] = [];
  let summary: Summary | null = null;

  return memory.due.map((due): DueResult => {
    // Nobody can look for a session that is not known; one that came while somebody looked is looked for next.
    const key = due.session?.key ?? null;
    const presence = key === null ? unknownPresence : presenceOf(key);
    // Who went on with the session since makes it run: that says nothing about the turn that ended before.
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
 * Programs hear of every event: what waited only for the word of the service is told although the alert is over, or a later
 * step is due as well, which would take its place for people.
 */
function isOwed({ delivery }: DueDelivery, { policy }: GateCircumstances): boolean {
  return delivery.heldFor === 'running' && policy.programChannels.includes(delivery.channel);
}

/**
 * An answer cancels what settles, so where that is left of an alert that is over, a newer request took its place: who has answered
 * that one may not have answered this one.
 */
function isSuperseded({ delivery, alert }: DueDelivery): boolean {
  return delivery.heldFor === 'settle' && alert?.state === 'resolved';
}

function whyOver(due: DueDelivery, around: GateCircumstances): Decision | null {
  const { delivery, alert } = due;
  if (isOwed(due, around)) return null;
  if (alert !== null && !isOpen(due) && !isSuperseded(due)) {
    return stop(`"${delivery.channel}" is not told: the alert is ${alert.state}`);
  }
  // After a suspension several steps are due at once; people need to hear it once, from the last of them.
  if (due.laterDue.some((later) => takesItsPlace(later, due, around))) {
    return stop(`"${delivery.channel}" is left out: a later step is due as well`);
  }
  return null;
}

/**
 * A step that no person would hear of now takes nobody's place, since nobody would be told at all then; nor does one
 * that the plan wants at the very same time.
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

/** One more line in a message that goes out anyway is no further ring, so traffic alone does not keep it back. */
function isWanted(passage: GateResult): boolean {
  if (passage.type === 'hold') return passage.heldFor === 'burst' || passage.heldFor === 'budget';
  return passage.type === 'release';
}

/** The message that tells what was held, and the events in it. */
interface Summary {
  readonly carrier: string;
  readonly eventIds: Set<string>;
}

/** Several messages of one event, such as the repetitions of a step, are one line. */
function join({ carrier, eventIds }: Summary, { delivery, event }: DueDelivery): DueResult {
  if (eventIds.has(event.id)) {
    const decision = stop(`"${delivery.channel}" is told of it already by delivery ${carrier}`);
    return { type: 'cancel', decision };
  }
  eventIds.add(event.id);
  const reason = `"${delivery.channel}" is told together with others by delivery ${carrier}`;
  return { type: 'join', carrier, decision: { stage: 'throttle', verdict: 'notify', reason } };
}

function stop(reason: string): Decision {
  return { stage: 'plan', verdict: 'stop', reason };
}

/** What was released in this round counts as sent. */
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
