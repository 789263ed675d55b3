import type { Decision } from '../core/decision.ts';
import type { HoldReason } from '../core/delivery.ts';
import { noPeople, type People } from '../core/hub/people.ts';
import { type Policy, type PresenceOf, unknownPresence } from '../core/policy.ts';
import {
  type DueDelivery,
  type DueMemory,
  type DueResult,
  type GateResult,
  isOfTraffic,
  type LaterDue,
  noTraffic,
  type RunningOf,
  type Traffic,
} from '../core/due.ts';
import { gate, type GateContext } from './gate.ts';

export interface ReleaseContext {
  readonly policy: Policy;
  /** The people of a hub; absent: there is none. */
  readonly people?: People;
  readonly now: number;
  readonly presenceOf: PresenceOf;
  /** Whether a session runs, as the vendor's service reports it. */
  readonly runningOf: RunningOf;
}

/** Deliveries held for these reasons and released in one round are sent as one message to each recipient. */
const gathered: readonly HoldReason[] = ['quiet', 'mute', 'burst', 'budget', 'hidden'];

/** Decides about the held deliveries of one channel that are due. Pure. */
export function releaseDue(memory: DueMemory, releasing: ReleaseContext): readonly DueResult[] {
  const { policy, now, presenceOf, runningOf, people = noPeople } = releasing;
  const released: DueDelivery[] = [];
  const summaries = new Map<string | null, Summary>();

  return memory.due.map((due): DueResult => {
    // Presence cannot be checked for an unknown session; one that arrived during the check is checked next.
    const key = due.session?.key ?? null;
    const presence = key === null ? unknownPresence : presenceOf(key);
    // A session that the user has continued runs for that reason; the turn that ended before may still be over.
    const running = key !== null && isOpen(due) ? runningOf(key) : 'unknown';
    const { mutes } = memory;
    const gateContext: GateContext = { policy, people, mutes, presence, running, now };
    const over = whyOver(due, gateContext);
    if (over !== null) return { type: 'cancel', decision: over };

    const traffic = withReleased(memory.traffic(due), released, { due, now });
    const result = gateResultOf(due.delivery, due, { traffic, around: gateContext });
    const isGathered = due.delivery.heldFor !== null && gathered.includes(due.delivery.heldFor);
    const { id, recipient } = due.delivery;
    const summary = summaries.get(recipient);
    if (isGathered && summary !== undefined && isWanted(result)) return join(summary, due);
    if (result.type === 'release') {
      released.push(due);
      if (isGathered) summaries.set(recipient, { carrier: id, eventIds: new Set([due.event.id]) });
    }
    return result;
  });
}

function isOpen({ alert }: DueDelivery): boolean {
  return alert === null || alert.state === 'open';
}

/**
 * Program channels get every event: a delivery that waited only for the service's answer is sent even if the alert is
 * over or a later step is also due, which would replace it on channels for people.
 */
function isOwed({ delivery }: DueDelivery, { policy }: GateContext): boolean {
  return delivery.heldFor === 'running' && policy.programChannels.includes(delivery.channel);
}

/**
 * An answer cancels settling deliveries, so one that remains of a closed alert was superseded by a newer request; an
 * answer to that request may not answer this one.
 */
function isSuperseded({ delivery, alert }: DueDelivery): boolean {
  return delivery.heldFor === 'settle' && alert?.state === 'resolved';
}

function whyOver(due: DueDelivery, gateContext: GateContext): Decision | null {
  const { delivery, alert } = due;
  if (isOwed(due, gateContext)) return null;
  if (alert !== null && !isOpen(due) && !isSuperseded(due)) {
    return stop(`"${delivery.channel}" is not notified: the alert is ${alert.state}`);
  }
  // After a suspension several steps are due together; people need one notification, from the last of them.
  if (due.laterDue.some((later) => takesItsPlace(later, due, gateContext))) {
    return stop(`"${delivery.channel}" is skipped: a later step is also due`);
  }
  return null;
}

/**
 * A later step that would not notify a person now replaces nothing, or no one would be notified; nor does one that the
 * plan schedules for the same time.
 */
function takesItsPlace(later: LaterDue, due: DueDelivery, gateContext: GateContext): boolean {
  const { recipient, step, delayMs } = due.delivery;
  // Each person needs one notification.
  if (later.recipient !== recipient) return false;
  if (later.step !== step && later.delayMs <= delayMs) return false;
  if (gateContext.policy.programChannels.includes(later.channel)) return false;
  return gateResultOf(later, due, { traffic: noTraffic, around: gateContext }).type === 'release';
}

function gateResultOf(
  { channel, recipient, step, delayMs, condition }: LaterDue,
  { event }: DueDelivery,
  { traffic, around: gateContext }: { readonly traffic: Traffic; readonly around: GateContext },
): GateResult {
  return gate({ channel, recipient, step, delayMs, condition, event, traffic }, gateContext);
}

/** One more line in a message that is sent anyway does not interrupt again, so traffic limits do not hold it. */
function isWanted(result: GateResult): boolean {
  if (result.type === 'hold') return result.heldFor === 'burst' || result.heldFor === 'budget';
  return result.type === 'release';
}

/** The message that combines held events. */
interface Summary {
  readonly carrier: string;
  readonly eventIds: Set<string>;
}

/** Several messages about one event, such as the repetitions of a step, become one line. */
function join({ carrier, eventIds }: Summary, { delivery, event }: DueDelivery): DueResult {
  if (eventIds.has(event.id)) {
    const decision = stop(
      `"${delivery.channel}" already receives this event in delivery ${carrier}`,
    );
    return { type: 'cancel', decision };
  }
  eventIds.add(event.id);
  const reason = `"${delivery.channel}" receives this event together with others in delivery ${carrier}`;
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
  const toSame = released.filter(({ delivery }) => delivery.recipient === due.delivery.recipient);
  const ofSession = toSame.filter(({ event }) => event.sessionKey === due.event.sessionKey);
  const after =
    (before: readonly DueDelivery[], earlier: Traffic['channel']): Traffic['channel'] =>
    (nth, counted) => {
      const more = before.filter(({ event }) => isOfTraffic(event.kind, counted)).length;
      return nth <= more ? now : earlier(nth - more, counted);
    };
  return {
    channel: after(toSame, traffic.channel),
    session: after(ofSession, traffic.session),
    pausedUntil: traffic.pausedUntil,
  };
}
