import type { Decision } from '../core/decision.ts';
import type { NewDelivery } from '../core/delivery.ts';
import { purposeOf } from '../core/hand-made.ts';
import type { HookEvent } from '../core/hook-event.ts';
import type { Policy, ProjectSettings } from '../core/policy.ts';
import { REMOTE, SERVICE } from '../core/source-event.ts';
import type { Effects } from '../core/store.ts';
import type { Planned, PlannedMessage } from './plan.ts';

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

interface Relayed {
  /** `stop`: another machine tells people of it. `note`: this one does as well. */
  readonly decision: Decision;
  readonly ringsHere: boolean;
}

/**
 * Whether an event goes on to another machine. Those of sources stay: each machine asks the service for itself. So do those
 * that came from another machine: two daemons that relay to each other would pass them on for ever.
 *
 * @returns null where it stays
 */
export function relay(
  { agent, event, machine }: Pick<HookEvent, 'agent' | 'event' | 'machine'>,
  policy: Pick<Policy, 'relay'>,
): Relayed | null {
  if (policy.relay === null || machine !== null) return null;
  if (agent === SERVICE || event.startsWith(REMOTE)) return null;
  const { to, ringHere } = policy.relay;
  const reason = `Relayed to ${to}`;
  return {
    ringsHere: ringHere,
    decision: ringHere
      ? { stage: 'relay', verdict: 'note', reason }
      : { stage: 'relay', verdict: 'stop', reason: `${reason}, which tells people of it` },
  };
}

interface Narrowed {
  readonly planned: Planned;
  /** Null where the project asks for nothing. */
  readonly decision: Decision | null;
}

/** Leaves out what the project does not want people to be told; channels that serve machines get everything in any case. */
export function applyProjectMutes(
  planned: Planned,
  { kind }: Pick<HookEvent, 'kind'>,
  {
    project,
    programChannels,
  }: { readonly project: ProjectSettings | null } & Pick<Policy, 'programChannels'>,
): Narrowed {
  if (project === null || planned.messages.length === 0) return { planned, decision: null };
  const aside = project.note === null ? '' : `"${project.file}": ${project.note}`;
  if (!project.mute.includes(kind)) {
    const decision: Decision = { stage: 'mute', verdict: 'note', reason: aside };
    return { planned, decision: aside === '' ? null : decision };
  }
  const messages = planned.messages.filter(({ channel }) => programChannels.includes(channel));
  const reason = `"${project.file}" mutes ${kind}: no person is told${aside === '' ? '' : `; ${aside}`}`;
  return {
    planned: { ...planned, messages },
    decision: { stage: 'mute', verdict: 'stop', reason },
  };
}

/** A message that waits until its request has stayed open for a while. */
interface Settling {
  /** How long after the decision it is due, ms. */
  readonly forMs: number;
  readonly decision: Decision;
}

/**
 * Whether a message waits for another hook, a mode or a reviewer of the agent to answer first. It counts from the decision and not
 * from the event: after a time without a daemon the answer stands in the spool as well, right behind the request.
 *
 * @returns null where it does not: then it is due when its plan says
 */
export function settle(
  { channel, afterMs }: PlannedMessage,
  event: HookEvent,
  { settleMs }: Pick<Policy, 'settleMs'>,
): Settling | null {
  const forMs = Object.hasOwn(settleMs, channel) ? (settleMs[channel] ?? 0) : 0;
  if (forMs <= afterMs || !mayBeAnsweredAtOnce(event)) return null;
  const reason = `"${channel}" waits ${forMs} ms: many requests are answered before a person is needed`;
  return { forMs, decision: { stage: 'plan', verdict: 'note', reason } };
}

/**
 * True for a permission, and for a question that a hook may answer. A notification of another question says that the agent waits
 * at its prompt, which is for a person alone.
 */
function mayBeAnsweredAtOnce({ kind, event }: HookEvent): boolean {
  if (kind === 'needs.permission') return true;
  return kind === 'needs.input' && event.toLowerCase() !== 'notification';
}
