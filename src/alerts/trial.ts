import type { NewDelivery } from '../core/delivery.ts';
import { purposeOf } from '../core/hand-made.ts';
import type { HookEvent } from '../core/hook-event.ts';
import type { Policy } from '../core/policy.ts';
import type { Effects } from '../core/store.ts';
import type { Planned } from './plan.ts';
import { relay } from './relay.ts';

/** Whether the event only shows what the rules say: it opens no session and no alert, and no later step follows. */
export function isTrial({ sessionId }: Pick<HookEvent, 'sessionId'>): boolean {
  return purposeOf(sessionId) === 'trial';
}

/** What of a plan a trial sends: that which is due at once. */
export function onlyAtOnce({ messages }: Planned): Planned['messages'] {
  return messages.filter(({ afterMs }) => afterMs === 0);
}

/** A test goes to the test channels, whatever routes, mutes and quiet hours say: somebody asked for it this moment. */
export function sendTest(
  event: HookEvent,
  { policy, now, newId }: { readonly policy: Policy; readonly now: number; newId: () => string },
): Pick<Effects, 'deliveries' | 'decisions' | 'relay'> {
  const relayed = relay(event, policy);
  // The inbox shows that the event arrived where no pop-up can be shown.
  const channels =
    relayed?.ringsHere === false ? [] : [...new Set([...policy.testChannels, 'inbox'])];
  const deliveries = channels.map((channel): NewDelivery => ({
    id: newId(),
    channel,
    alertId: null,
    step: 0,
    repetition: 0,
    delayMs: 0,
    condition: null,
    dueAt: now,
    heldFor: null,
    quietly: false,
  }));
  const reason = `A test goes to ${channels.join(', ')} alone`;
  return {
    deliveries,
    decisions: [
      ...(relayed === null ? [] : [relayed.decision]),
      ...(channels.length === 0 ? [] : [{ stage: 'plan', verdict: 'notify', reason } as const]),
    ],
    relay: relayed !== null,
  };
}
