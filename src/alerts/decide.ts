/*
 * The decisions: from what is remembered, an event, the policy and the time to effects, and a reason for each. Pure: a
 * clock, a file, a database, a channel or an agent's name never enters.
 */
import type { AgentTraits, TraitsOf } from '../core/agent/agent-traits.ts';
import type { Alert } from '../core/alert.ts';
import type { Decision } from '../core/decision.ts';
import type { NewDelivery } from '../core/delivery.ts';
import { programEvents } from '../core/hand-made.ts';
import { type HookEvent, isWaiting } from '../core/hook-event.ts';
import type { Policy, Presence, ProjectSettings } from '../core/policy.ts';
import type { Session } from '../core/session.ts';
import { SERVICE } from '../core/source-event.ts';
import type { Effects, Memory } from '../core/store.ts';
import { noPeople, type People } from '../core/hub/people.ts';
import { address } from './address.ts';
import { gate } from './gate.ts';
import { assignAlert, type AssignedEvent, placeNowhere } from './assign-alert.ts';
import { plan, type PlannedMessage } from './plan.ts';
import { quietChannels } from './quiet.ts';
import { refine } from './refine.ts';
import { classify, repeat } from './repeat.ts';
import { answeredBy, resolve, type Resolved } from './resolve.ts';
import { type EndedTurn, route } from './route.ts';
import { trackWait } from './track-wait.ts';
import { track, type Tracked } from './track.ts';
import { isTrial, onlyAtOnce, sendTest } from './trial.ts';
import { relayEvent } from './relay-event.ts';
import { joinWitness } from './join-witness.ts';
import { holdForAnswer } from './hold-for-answer.ts';
import { applyProjectMutes } from './mute.ts';
import { repeatedLimit } from './usage-limit.ts';

export interface DecisionContext {
  readonly policy: Policy;
  /** What is particular to each agent. */
  readonly agents: TraitsOf;
  /** Wall time of the decision, Unix ms. */
  readonly now: number;
  /** The user's presence; null before it was checked. */
  readonly presence: Presence | null;
  /** The people of a hub; absent: there is none. */
  readonly people?: People;
  /** Settings of the event's project. */
  readonly project?: ProjectSettings | null;
  /** Globally unique, time-ordered ids for alerts and deliveries. */
  readonly newId: () => string;
}

/**
 * Decides what an event means for its session and which channels to notify. Pure: it depends only on the arguments, and
 * returns all changes as effects. A stage that stops an event adds its reason as the last decision.
 */
export function decide(memory: Memory, received: HookEvent, context: DecisionContext): Effects {
  const classified = classify(received, memory.duplicateOf);
  if (classified.verdict === 'stop') return untouched(received, [classified]);
  if (received.kind === 'test') {
    const { decisions, ...sent } = sendTest(received, context);
    return { ...untouched(received, [classified, ...decisions]), ...sent };
  }
  const joined = joinWitness(received, memory.session);
  if (joined !== null) return untouched(received, [classified, joined]);
  const traits = received.isUnproved === true ? {} : context.agents(received.agent);
  const { tellsRounds } = context.policy;
  const refinement = refine(received, memory, { traits, tellsRounds });
  const { event, helps, decision: refined } = refinement;
  const first = refined === null ? [classified] : [classified, refined];
  const repeated = repeat(event, memory.alert);
  if (repeated !== null) return untouched(event, [...first, repeated]);

  const { policy, now, newId, project = null, people = noPeople } = context;
  const { programChannels, expireAfterMs } = policy;
  const question = memory.question?.() ?? null;
  const earlier = earlierRequest(memory, event);
  const closed = resolve(event, memory.alert, {
    question,
    earlier,
    traits,
    programChannels,
  });
  const tracked = trackOrNot(memory, { received, event, helps, closed, traits });
  const session = tracked?.session ?? null;
  const decisions: Decision[] = [...first];
  if (tracked !== null) decisions.push(tracked.decision);
  if (closed !== null) decisions.push(closed.decision);

  const turn = endedTurn(event, session, memory.session);
  const relayed = relayEvent(event, policy);
  if (relayed !== null) decisions.push(relayed.decision);
  const repeatsLimit = repeatedLimit(event, memory.session, memory.limits);
  if (repeatsLimit !== null) decisions.push(repeatsLimit);
  const isSilent = repeatsLimit !== null || relayed?.notifiesHere === false;
  const routed = isSilent ? null : route(event, { turn, session, now }, policy);
  if (routed !== null) decisions.push(routed.decision);
  const plans = routed?.plans ?? [];
  const wanted = plan(plans, policy);
  if (plans.length > 0) decisions.push(wanted.decision);
  const { planned, decision: narrowed } = applyProjectMutes(wanted, event, {
    project,
    programChannels,
  });
  if (narrowed !== null) decisions.push(narrowed);

  const addressed = address(planned.messages, { event, people, policy });
  decisions.push(...addressed.decisions);
  const reaching = { ...planned, messages: addressed.messages };

  const live = closed === null ? memory.alert : null;
  const placed = isTrial(event)
    ? placeNowhere(onlyAtOnce(reaching))
    : assignAlert(reaching, { event, live }, { id: newId(), expireAfterMs, programChannels });
  if (placed.decision !== null) decisions.push(placed.decision);
  const sent = sendOut(placed, { memory, event, context });
  decisions.push(...sent.decisions);

  const answered = answeredBy(event, closed?.alert ?? earlier);
  const over = closed === null ? placed.cancel : [closed.cancel, ...placed.cancel];
  return {
    event,
    session,
    alerts: closed === null ? placed.alerts : [closed.alert, ...placed.alerts],
    cancel: over,
    ...(answered !== null && { answered }),
    ...(memory.wait !== undefined && {
      wait: trackWait(event, memory.wait(), { session, isEarlier: earlier !== null, traits }),
    }),
    withdraw: over.map(({ alertId, reason }) => ({ alertId, reason })),
    decisions,
    turnMs: turn?.ms ?? null,
    deliveries: sent.deliveries,
    relay: relayed !== null,
  };
}

/** The closed alert of the request whose call has ended: a newer request took its place. */
function earlierRequest({ alert, earlier }: Memory, { kind, subject }: HookEvent): Alert | null {
  if (kind !== 'tool.done' || subject === null || subject === alert?.subject) return null;
  return earlier?.(subject) ?? null;
}

function isHelperThread({ event, kind }: HookEvent, { helperEvent }: AgentTraits): boolean {
  return event === helperEvent && kind !== 'turn.done';
}

/**
 * Events without a session, and those of helper threads, are not tracked; a helper's title goes to the session it
 * helps.
 */
function trackOrNot(
  { session, alert }: Memory,
  {
    received,
    event,
    helps,
    closed,
    traits,
  }: {
    readonly received: HookEvent;
    readonly event: HookEvent;
    readonly helps: Session | null;
    readonly closed: Resolved | null;
    readonly traits: AgentTraits;
  },
): Tracked | null {
  if (isTrial(event)) return null;
  // The terminal of a command is known by its session.
  const isCommand = event.event === programEvents.command;
  if (traits.passesBy === true && session === null && !isWaiting(event.kind) && !isCommand) {
    return null;
  }
  if (event.agent === SERVICE || isHelperThread(event, traits)) {
    if (helps === null) return null;
    const titled = { ...helps, title: helps.title ?? event.title };
    const reason = `Session ${helps.key}: title "${titled.title ?? ''}"`;
    return { session: titled, decision: { stage: 'track', verdict: 'note', reason } };
  }
  const isAsked = alert !== null && isWaiting(alert.kind);
  const isOpen = isAsked && closed === null && session?.state === 'waiting';
  const question = isAsked && closed !== null && event.subagent ? 'answered' : null;
  // Other work may go on beside it.
  const tracked = track(session, event, { question: isOpen ? 'open' : question, traits });
  // The kind as the agent sent it: refining the next event may need it.
  const over = isCommand && ({ state: 'ended' } as const);
  return { ...tracked, session: { ...tracked.session, ...over, lastKind: received.kind } };
}

function untouched(event: HookEvent, decisions: readonly Decision[]): Effects {
  return {
    event,
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

function endedTurn(
  { kind, wakes }: HookEvent,
  session: Session | null,
  before: Session | null,
): EndedTurn | null {
  if (kind !== 'turn.done' && kind !== 'turn.failed') return null;
  // A person who wants a notification of each round wants those of short ones, too.
  const isRound = wakes !== undefined && before?.schedule?.prompted !== true;
  return { ms: isRound ? null : (session?.lastTurnMs ?? null) };
}

interface Sent {
  readonly deliveries: readonly NewDelivery[];
  readonly decisions: readonly Decision[];
}

/** Messages due immediately pass the gate now; all others are held until they are due. */
function sendOut(
  { messages, alertId }: AssignedEvent,
  {
    memory,
    event,
    context,
  }: {
    readonly memory: Memory;
    readonly event: HookEvent;
    readonly context: DecisionContext;
  },
): Sent {
  const { policy, now, newId, people = noPeople } = context;
  const deliveries: NewDelivery[] = [];
  const decisions: Decision[] = [];
  for (const message of quietChannels(messages, { policy, event, now })) {
    const delivery = deliveryOf(message, { id: newId(), alertId, now });
    const held = holdForAnswer(message, event, policy);
    if (held !== null) {
      decisions.push(held.decision);
      deliveries.push({ ...delivery, heldFor: 'settle', dueAt: now + held.forMs });
      continue;
    }
    if (message.afterMs > 0) {
      deliveries.push({ ...delivery, heldFor: 'step' });
      continue;
    }
    const { recipient } = delivery;
    const traffic = memory.traffic(message.channel, recipient);
    const gated = gate(
      { ...message, recipient, event, traffic },
      { ...context, people, running: null, mutes: memory.mutes },
    );
    if (gated.decision !== null) decisions.push(gated.decision);
    if (gated.type === 'release') deliveries.push({ ...delivery, quietly: gated.quietly });
    if (gated.type === 'hold') {
      deliveries.push({ ...delivery, heldFor: gated.heldFor, dueAt: gated.until });
    }
  }
  return { deliveries, decisions };
}

function deliveryOf(
  { channel, recipient, step, repetition, delayMs, afterMs, condition }: PlannedMessage,
  {
    id,
    alertId,
    now,
  }: { readonly id: string; readonly alertId: string | null; readonly now: number },
): NewDelivery {
  return {
    id,
    channel,
    recipient: recipient ?? null,
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
