import type { NewDelivery } from '../core/delivery.ts';
import { purposeOf } from '../core/hand-made.ts';
import type { HookEvent } from '../core/hook-event.ts';
import type { Policy } from '../core/policy.ts';
import type { Effects } from '../core/store.ts';
import type { Planned } from './plan.ts';
import { relayEvent } from './relay-event.ts';

/** Whether the event only tries the rules: it opens neither a session nor an alert, and no later step follows. */
export function isTrial({ sessionId }: Pick<HookEvent, 'sessionId'>): boolean {
  return purposeOf(sessionId) === 'trial';
}

/** The messages of a plan that a trial sends: those due immediately. */
export function onlyAtOnce({ messages }: Planned): Planned['messages'] {
  return messages.filter(({ afterMs }) => afterMs === 0);
}

/** A test goes to the test channels regardless of routes, mutes and quiet hours: a user has just asked for it. */
export function sendTest(
  event: HookEvent,
  { policy, now, newId }: { readonly policy: Policy; readonly now: number; newId: () => string },
): Pick<Effects, 'deliveries' | 'decisions' | 'relay'> {
  const relayed = relayEvent(event, policy);
  // Where pop-ups cannot be shown, the inbox shows that the event arrived.
  const channels =
    relayed?.notifiesHere === false ? [] : [...new Set([...policy.testChannels, 'inbox'])];
  const deliveries = channels.map((channel): NewDelivery => ({
    id: newId(),
    channel,
    recipient: null,
    alertId: null,
    step: 0,
    repetition: 0,
    delayMs: 0,
    condition: null,
    dueAt: now,
    heldFor: null,
    quietly: false,
  }));
  const reason = `A test is sent only to ${channels.join(', ')}`;
  return {
    deliveries,
    decisions: [
      ...(relayed === null ? [] : [relayed.decision]),
      ...(channels.length === 0 ? [] : [{ stage: 'plan', verdict: 'notify', reason } as const]),
    ],
    relay: relayed !== null,
  };
}
