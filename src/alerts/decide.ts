import type { Decision } from '../core/decision.ts';
import type { NewDelivery } from '../core/delivery.ts';
import type { HookEvent } from '../core/hook-event.ts';
import type { Policy } from '../core/policy.ts';
import type { Presence } from '../core/presence.ts';
import type { ProjectSettings } from '../core/project-settings.ts';
import type { Session } from '../core/session.ts';
import { SERVICE } from '../core/source-event.ts';
import type { Effects, Memory } from '../core/store.ts';
import { classify } from './classify.ts';
import { gate } from './gate.ts';
import type { Placed } from './place.ts';
import { place } from './place.ts';
import type { PlannedMessage } from './plan.ts';
import { plan } from './plan.ts';
import { narrow } from './project.ts';
import { quietChannels } from './quiet.ts';
import { relay } from './relay.ts';
import { repeat } from './repeat.ts';
import { resolve } from './resolve.ts';
import type { EndedTurn } from './route.ts';
import { route } from './route.ts';
import { track } from './track.ts';

export interface Circumstances {
  readonly policy: Policy;
  /** Wall time of the decision, Unix ms. */
  readonly now: number;
  /** What is known of the person; null before anybody has looked. */
  readonly presence: Presence | null;
  /** What the project of the event asks for. */
  readonly project?: ProjectSettings | null;
  /** Globally unique, time-ordered ids for alerts and deliveries. */
  readonly newId: () => string;
}

/**
 * Decides what an event means for its session and who hears of it. Pure: everything it knows is in the arguments,
 * everything it wants is in the effects. A stage that stops an event leaves its reason as the last decision.
 */
export function decide(memory: Memory, event: HookEvent, circumstances: Circumstances): Effects {
  const classified = classify(event, memory.duplicateOf);
  if (classified.verdict === 'stop') return untouched([classified]);
  const repeated = repeat(event, memory.alert);
  if (repeated !== null) return untouched([classified, repeated]);

  const { policy, now, newId, project = null } = circumstances;
  const { machineChannels, expireAfterMs } = policy;
  // What comes from no session must not look like one.
  const tracked = event.agent === SERVICE ? null : track(memory.session, event);
  const session = tracked?.session ?? null;
  const decisions: Decision[] = tracked === null ? [classified] : [classified, tracked.decision];
  const closed = resolve(event, memory.alert, machineChannels);
  if (closed !== null) decisions.push(closed.decision);

  const turn = endedTurn(event, session);
  const relayed = relay(event, policy);
  if (relayed !== null) decisions.push(relayed.decision);
  const routed = relayed?.ringsHere === false ? null : route(event, { turn, session, now }, policy);
  if (routed !== null) decisions.push(routed.decision);
  const plans = routed?.plans ?? [];
  const wanted = plan(plans, policy);
  if (plans.length > 0) decisions.push(wanted.decision);
  const { planned, decision: narrowed } = narrow(wanted, event, { project, machineChannels });
  if (narrowed !== null) decisions.push(narrowed);

  const live = closed === null ? memory.alert : null;
  const placed = place(planned, { event, live }, { id: newId(), expireAfterMs, machineChannels });
  if (placed.decision !== null) decisions.push(placed.decision);
  const sent = sendOut(placed, { memory, event, circumstances });
  decisions.push(...sent.decisions);

  const over = closed === null ? placed.cancel : [closed.cancel, ...placed.cancel];
  return {
    session,
    alerts: closed === null ? placed.alerts : [closed.alert, ...placed.alerts],
    cancel: over,
    withdraw: over.map(({ alertId, reason }) => ({ alertId, reason })),
    decisions,
    turnMs: turn?.ms ?? null,
    deliveries: sent.deliveries,
    relay: relayed !== null,
  };
}

function untouched(decisions: readonly Decision[]): Effects {
  return {
    session: null,
    alerts: [],
    decisions,
    turnMs: null,
    deliveries: [],
    relay: false,
    cancel: [],
    withdraw: [],
  };
}

function endedTurn(event: HookEvent, session: Session | null): EndedTurn | null {
  const ends = event.kind === 'turn.done' || event.kind === 'turn.failed';
  return ends ? { ms: session?.lastTurnMs ?? null } : null;
}

interface Sent {
  readonly deliveries: readonly NewDelivery[];
  readonly decisions: readonly Decision[];
}

/** What is due at once passes the gate now; everything else is held until its time. */
function sendOut(
  { messages, alertId }: Placed,
  {
    memory,
    event,
    circumstances,
  }: {
    readonly memory: Memory;
    readonly event: HookEvent;
    readonly circumstances: Circumstances;
  },
): Sent {
  const { policy, now, newId } = circumstances;
  const deliveries: NewDelivery[] = [];
  const decisions: Decision[] = [];
  for (const message of quietChannels(messages, { policy, event, now })) {
    const delivery = deliveryOf(message, { id: newId(), alertId, now });
    if (message.afterMs > 0) {
      deliveries.push({ ...delivery, heldFor: 'step' });
      continue;
    }
    const traffic = memory.traffic(message.channel);
    const passage = gate(
      { ...message, event, traffic },
      { ...circumstances, running: null, mutes: memory.mutes },
    );
    if (passage.decision !== null) decisions.push(passage.decision);
    if (passage.type === 'release') deliveries.push({ ...delivery, quietly: passage.quietly });
    if (passage.type === 'hold') {
      deliveries.push({ ...delivery, heldFor: passage.heldFor, dueAt: passage.until });
    }
  }
  return { deliveries, decisions };
}

function deliveryOf(
  { channel, step, repetition, delayMs, afterMs, condition }: PlannedMessage,
  {
    id,
    alertId,
    now,
  }: { readonly id: string; readonly alertId: string | null; readonly now: number },
): NewDelivery {
  return {
    id,
    channel,
    alertId,
    step,
    repetition,
    delayMs,
    condition,
    dueAt: now + afterMs,
    heldFor: null,
    quietly: false,
  };
}
