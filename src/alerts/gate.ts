import { PERSONAL_DIGEST } from '../core/vendor-policy.ts';
import type { Decision, Stage } from '../core/decision.ts';
import type { HoldReason } from '../core/delivery.ts';
import type { HookEvent } from '../core/hook-event.ts';
import type { Mute, NoisePolicy, Policy, Presence, StepCondition } from '../core/policy.ts';
import { SERVICE } from '../core/source-event.ts';
import type { GateResult, Release, Running, Traffic } from '../core/due.ts';
import { muteFor } from './mute.ts';
import { wantsAnswer } from './plan.ts';
import { isWithin, quietFor } from './quiet.ts';

const HOUR_MS = 3_600_000;

interface Throttled {
  readonly heldFor: 'burst' | 'budget';
  readonly until: number;
  readonly reason: string;
}

/**
 * Keeps many events from becoming many rings: the first of a burst are told at once, the rest together when the window
 * is over; beyond the budget of an hour, when there is room again; during an outage of the channel, when it is over.
 *
 * @returns null when the message may go out now
 */
export function throttle(
  { channel, session, pausedUntil }: Traffic,
  { burst, perSessionAnHour, perChannelAnHour }: NoisePolicy,
  now: number,
): Throttled | null {
  const until = pausedUntil();
  if (until > now) {
    const reason = `The channel takes nothing before ${new Date(until).toISOString()}: told together with what follows`;
    return { heldFor: 'budget', until, reason };
  }
  const budget =
    roomAt(session, perSessionAnHour, 'this session', now) ??
    roomAt(channel, perChannelAnHour, 'this channel', now);
  if (budget !== null) return budget;

  const first = channel(burst.atOnce);
  if (first === null || first <= now - burst.windowMs) return null;
  return {
    heldFor: 'burst',
    until: first + burst.windowMs,
    reason: `${burst.atOnce} within ${burst.windowMs} ms went before it: told together with what follows`,
  };
}

/** Null while there is room in the budget of an hour. */
function roomAt(
  sent: Traffic['session'],
  budget: number,
  whose: string,
  now: number,
): Throttled | null {
  const oldest = sent(budget);
  if (oldest === null || oldest <= now - HOUR_MS) return null;
  return {
    heldFor: 'budget',
    until: oldest + HOUR_MS,
    reason: `The budget of ${whose} is used up: ${budget} messages an hour`,
  };
}

/** A message that would go to a channel now. */
export interface Candidate {
  readonly channel: string;
  /** Which step of the plan; counts from 0. */
  readonly step: number;
  /** How long after its event the plan wants its step for the first time, ms. */
  readonly delayMs: number;
  readonly condition: StepCondition | null;
  readonly event: HookEvent;
  readonly traffic: Traffic;
}

export interface GateCircumstances {
  readonly policy: Policy;
  readonly mutes: readonly Mute[];
  /** Null before anybody has looked: that takes longer than a decision may. */
  readonly presence: Presence | null;
  /** Whether the session runs; null before anybody has asked, for the same reason. */
  readonly running: Running | null;
  readonly now: number;
}

const through: GateResult = { type: 'release', quietly: false, decision: null };

/**
 * Decides whether a message may go to its channel now. Channels that serve machines get everything in any case; people
 * are spared what they do not want to hear now, and nothing is dropped without a reason.
 */
export function gate(candidate: Candidate, circumstances: GateCircumstances): GateResult {
  const held = holdToLook(candidate, circumstances) ?? holdWhileRunning(candidate, circumstances);
  if (held !== null) return held;
  const passage = passageOf(candidate, circumstances);
  return passage.type === 'release' && endedWhileRunning(candidate, circumstances)
    ? stillRunning(passage, candidate)
    : passage;
}

/** What takes longer than a decision may is found out before the next one, which follows at once. */
function holdToLook(
  candidate: Candidate,
  { presence, running, policy, now }: GateCircumstances,
): GateResult | null {
  const { channel, event } = candidate;
  if (presence === null && asksForPresence(candidate, policy)) {
    const reason = `Looks first whether you are here: "${channel}"`;
    return hold('plan', { heldFor: 'presence', until: now, reason });
  }
  if (running === null && policy.holdStop !== null && isEndOfTurn(event)) {
    const reason = `Asks first whether the session still runs: "${channel}"`;
    return hold('plan', { heldFor: 'running', until: now, reason });
  }
  return null;
}

function passageOf(candidate: Candidate, circumstances: GateCircumstances): GateResult {
  const { condition, channel } = candidate;
  const unmet = condition === null ? null : unmetCondition(condition, candidate, circumstances);
  if (unmet !== null) return stop('plan', `"${channel}" is left out: ${unmet}`);
  if (circumstances.policy.programChannels.includes(channel)) return through;
  // It goes to somebody else: what disturbs us says nothing about them, and it must not be told together with others.
  const { agent, event } = candidate.event;
  if (agent === SERVICE && event === PERSONAL_DIGEST) return through;
  return (
    byMute(candidate, circumstances) ??
    byQuietHours(candidate, circumstances) ??
    byPresence(candidate, circumstances) ??
    byTraffic(candidate, circumstances) ??
    through
  );
}

/** Only the service knows of the sessions it has ids of, and a subagent's end says nothing about its session. */
function isEndOfTurn({ kind, sessionId, subagent }: HookEvent): boolean {
  return kind === 'turn.done' && sessionId !== null && !subagent;
}

/** The end of a turn of a session that runs waits a while: it may be none. All channels, since it concerns what they say. */
function holdWhileRunning(
  { event, channel }: Candidate,
  { running, policy: { holdStop }, now }: GateCircumstances,
): GateResult | null {
  if (holdStop === null || running !== 'yes' || !isEndOfTurn(event)) return null;
  const until = event.receivedAt + holdStop.forMs;
  if (now < until) {
    const reason = `The session still runs: "${channel}" is held until ${new Date(until).toISOString()}`;
    return hold('plan', { heldFor: 'running', until, reason });
  }
  return holdStop.afterwards === 'drop'
    ? stop('plan', `"${channel}" is not told: the session still runs`)
    : null;
}

function endedWhileRunning(
  { event }: Candidate,
  { running, policy: { holdStop } }: GateCircumstances,
): boolean {
  return holdStop !== null && running === 'yes' && isEndOfTurn(event);
}

function stillRunning(release: Release, { channel }: Candidate): Release {
  const reason = `"${channel}" is told that the session still runs`;
  const before = release.decision === null ? '' : `${release.decision.reason}; `;
  const decision: Decision = { stage: 'plan', verdict: 'note', reason: `${before}${reason}` };
  return { ...release, stillRunning: true, decision };
}

function asksForPresence({ condition, step, channel }: Candidate, policy: Policy): boolean {
  if (condition?.presence !== undefined) return true;
  const isForPeople = !policy.programChannels.includes(channel);
  return step === 0 && policy.whenWatching !== 'ring' && isForPeople;
}

function unmetCondition(
  condition: StepCondition,
  { event }: Candidate,
  { presence, now }: GateCircumstances,
): string | null {
  if (condition.attended !== undefined && event.attended === !condition.attended) {
    return condition.attended ? 'nobody sits at the session' : 'somebody sits at the session';
  }
  if (condition.presence === 'away' && presence?.here === true) return 'you are at this machine';
  if (condition.presence === 'here' && presence?.here === false) return 'you are away';
  if (condition.hours !== undefined && !isWithin(condition.hours, now)) {
    return 'it is outside the hours of the step';
  }
  return null;
}

/** What was silent meanwhile begins anew afterwards: the first step at once, a later one as long after it as planned. */
function byMute(
  { event, channel, delayMs }: Candidate,
  { mutes, now, policy: { expireAfterMs } }: GateCircumstances,
): GateResult | null {
  const mute = muteFor(mutes, event, channel, now);
  if (mute === null) return null;
  if (mute.until === null) {
    const reason = `"${channel}" is muted until you unmute it`;
    // What still waits for an answer then is sent; `unmute` brings it forward. When its alert expires there is nothing to send.
    const until = event.receivedAt + expireAfterMs;
    return wantsAnswer(event) && until > now
      ? hold('mute', { heldFor: 'mute', until, reason: `${reason}: held` })
      : stop('mute', reason);
  }
  const reason = `"${channel}" is muted until ${new Date(mute.until).toISOString()}: held`;
  return hold('mute', { heldFor: 'mute', until: mute.until + delayMs, reason });
}

function byQuietHours(
  { event, channel, delayMs }: Candidate,
  { policy: { quietHours }, now }: GateCircumstances,
): GateResult | null {
  const quiet = quietFor(quietHours, event, now);
  if (quiet === null) return null;
  const { meanwhile, until } = quiet;
  const begun = until + delayMs;
  switch (meanwhile.type) {
    case 'hold':
      return hold('mute', {
        heldFor: 'quiet',
        // A long delay may end in the next quiet hours: to add it again each time would put the step off for ever.
        until: quietFor(quietHours, event, begun)?.until ?? begun,
        reason: `Quiet hours until ${new Date(until).toISOString()}: "${channel}" is held`,
      });
    case 'discard':
      return stop('mute', `Quiet hours: "${channel}" is not told`);
    case 'channels':
      if (meanwhile.channels.includes(channel)) return null;
      return stop('mute', `Quiet hours: told elsewhere than on "${channel}"`);
  }
}

/** Only the first step: whoever looks at the session and still does not react after a while is told all the same. */
function byPresence(
  { step, channel }: Candidate,
  { policy: { whenWatching }, presence }: GateCircumstances,
): GateResult | null {
  if (step > 0 || presence?.watching !== true || whenWatching === 'ring') return null;
  const reason = `You look at the terminal of the session: "${channel}"`;
  if (whenWatching === 'suppress') return stop('mute', `${reason} is not told`);
  const decision: Decision = {
    stage: 'mute',
    verdict: 'note',
    reason: `${reason} is told quietly`,
  };
  return { type: 'release', quietly: true, decision };
}

function byTraffic(
  { traffic, channel }: Candidate,
  { policy, now }: GateCircumstances,
): GateResult | null {
  const throttled = throttle(traffic, policy.noise, now);
  if (throttled === null) return null;
  return hold('throttle', { ...throttled, reason: `"${channel}" is held: ${throttled.reason}` });
}

function stop(stage: Stage, reason: string): GateResult {
  return { type: 'cancel', decision: { stage, verdict: 'stop', reason } };
}

function hold(
  stage: Stage,
  { heldFor, until, reason }: { heldFor: HoldReason; until: number; reason: string },
): GateResult {
  return { type: 'hold', heldFor, until, decision: { stage, verdict: 'note', reason } };
}
