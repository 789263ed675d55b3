import type { Decision } from '../core/decision.ts';
import type { HookEvent } from '../core/hook-event.ts';
import type { Policy } from '../core/policy.ts';
import { REMOTE, SERVICE } from '../core/source-event.ts';

interface Relayed {
  /** `stop`: only the other machine notifies people. `note`: this one does as well. */
  readonly decision: Decision;
  readonly notifiesHere: boolean;
}

/**
 * Whether an event is relayed to another machine. Events of sources stay: each machine asks the service itself. So do
 * relayed events: two daemons that relay to each other would pass them on forever.
 *
 * @returns null if it is not relayed
 */
export function relayEvent(
  { agent, event, machine }: Pick<HookEvent, 'agent' | 'event' | 'machine'>,
  policy: Pick<Policy, 'relay'>,
): Relayed | null {
  if (policy.relay === null || machine !== null) return null;
  if (agent === SERVICE || event.startsWith(REMOTE)) return null;
  const { to, notifiesHere } = policy.relay;
  const reason = `Relayed to ${to}`;
  return {
    notifiesHere,
    decision: notifiesHere
      ? { stage: 'relay', verdict: 'note', reason }
      : { stage: 'relay', verdict: 'stop', reason: `${reason}, which notifies people` },
  };
}
