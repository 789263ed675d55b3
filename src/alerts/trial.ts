import type { Decision } from '../core/decision.ts';
import type { NewDelivery } from '../core/delivery.ts';
import { purposeOf } from '../core/hand-made.ts';
import type { HookEvent } from '../core/hook-event.ts';
import type { Policy, ProjectSettings } from '../core/policy.ts';
import { REMOTE, SERVICE } from '../core/source-event.ts';
import type { Effects } from '../core/store.ts';
import type { Planned, PlannedMessage } from './plan.ts';

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

interface Narrowed {
  readonly planned: Planned;
  /** Null without project settings that apply. */
  readonly decision: Decision | null;
}

/** Removes messages that the project mutes for people; program channels get everything. */
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
  const reason = `"${project.file}" mutes ${kind}: people are not notified${aside === '' ? '' : `; ${aside}`}`;
  return {
    planned: { ...planned, messages },
    decision: { stage: 'mute', verdict: 'stop', reason },
  };
}

/** A message held until its request has stayed open for a while. */
interface HeldForAnswer {
  /** Delay after the decision, ms. */
  readonly forMs: number;
  readonly decision: Decision;
}

/**
 * Whether a message waits for another hook, a mode or a reviewer of the agent to answer first. The delay counts from
 * the decision, not from the event: if no daemon ran, the answer is in the spool as well, right after the request.
 *
 * @returns null if it does not wait: then the plan decides when it is due
 */
export function holdForAnswer(
  { channel, afterMs }: PlannedMessage,
  event: HookEvent,
  { settleDelayMs }: Pick<Policy, 'settleDelayMs'>,
): HeldForAnswer | null {
  const forMs = Object.hasOwn(settleDelayMs, channel) ? (settleDelayMs[channel] ?? 0) : 0;
  if (forMs <= afterMs || !mayBeAnsweredAtOnce(event)) return null;
  const reason = `"${channel}" waits ${forMs} ms: many requests are answered before a person is needed`;
  return { forMs, decision: { stage: 'plan', verdict: 'note', reason } };
}

/**
 * True for a permission, and for a question that a hook may answer. A notification of another question means that the
 * agent waits at its prompt for a person.
 */
function mayBeAnsweredAtOnce({ kind, event }: HookEvent): boolean {
  if (kind === 'needs.permission') return true;
  return kind === 'needs.input' && event.toLowerCase() !== 'notification';
}
