import type { Decision } from '../core/decision.ts';
import type { HoldReason } from '../core/delivery.ts';
import type { Policy } from '../core/policy.ts';
import type { Presence } from '../core/presence.ts';
import type { DueDelivery, DueMemory, Fate, Traffic } from '../core/timer.ts';
import { gate } from './gate.ts';

export interface FireCircumstances {
  readonly policy: Policy;
  readonly now: number;
  /** What is known of the person with regard to a session. */
  readonly presenceOf: (sessionKey: string) => Presence;
}

/** What was held for these reasons and is released in one round is told in one message. */
const gathered: readonly HoldReason[] = ['quiet', 'mute', 'burst', 'budget'];

/** Decides what becomes of held deliveries of one channel whose time has come. Pure. */
export function fire(memory: DueMemory, circumstances: FireCircumstances): readonly Fate[] {
  const { now } = circumstances;
  const released: DueDelivery[] = [];
  let carrier: string | null = null;

  return memory.due.map((due): Fate => {
    const over = whyOver(due);
    if (over !== null) return { type: 'cancel', decision: over };
    const isGathered = due.delivery.heldFor !== null && gathered.includes(due.delivery.heldFor);
    if (isGathered && carrier !== null) return joined(carrier, due);

    const fate = gate(
      {
        channel: due.delivery.channel,
        step: due.delivery.step,
        afterMs: due.alert?.plan.steps[due.delivery.step]?.afterMs ?? 0,
        condition: due.alert?.plan.steps[due.delivery.step]?.condition ?? null,
        event: due.event,
        traffic: withReleased(memory.traffic(due), released, now),
      },
      {
        policy: circumstances.policy,
        mutes: memory.mutes,
        presence: circumstances.presenceOf(due.event.sessionKey),
        now,
      },
    );
    if (fate.type === 'release') {
      released.push(due);
      if (isGathered) carrier = due.delivery.id;
    }
    return fate;
  });
}

function whyOver({ delivery, alert, laterStepDue }: DueDelivery): Decision | null {
  if (alert !== null && alert.state !== 'open') {
    return stop(`"${delivery.channel}" is not told: the alert is ${alert.state}`);
  }
  // After a suspension several steps are due at once; people need to hear it once, from the last of them.
  if (laterStepDue) return stop(`"${delivery.channel}" is left out: a later step is due as well`);
  return null;
}

function joined(carrier: string, { delivery }: DueDelivery): Fate {
  const reason = `"${delivery.channel}" is told together with others by delivery ${carrier}`;
  return { type: 'join', carrier, decision: { stage: 'throttle', verdict: 'notify', reason } };
}

function stop(reason: string): Decision {
  return { stage: 'plan', verdict: 'stop', reason };
}

/** What was released in this round counts as sent. */
function withReleased(traffic: Traffic, released: readonly DueDelivery[], now: number): Traffic {
  return { channel: [...traffic.channel, ...released.map(() => now)], session: traffic.session };
}
