import type { Decision, Stage } from '../core/decision.ts';
import type { HoldReason } from '../core/delivery.ts';
import type { GateResult, Release, Running, Traffic } from '../core/due.ts';
import { programEvents } from '../core/hand-made.ts';
import type { HookEvent } from '../core/hook-event.ts';
import { notHere, type People } from '../core/hub/people.ts';
import type { Mute, Policy, Presence, StepCondition, WatchingPolicy } from '../core/policy.ts';
import { PERSONAL_DIGEST, SERVICE } from '../core/source-event.ts';
import { muteFor } from './mute.ts';
import { wantsAnswer } from './plan.ts';
import { isWithin, quietFor } from './quiet.ts';
import { throttle } from './throttle.ts';

/** A message that would go to a channel now. */
export interface Candidate {
  readonly channel: string;
  /** The person it is for; null: all readers of the channel. */
  readonly recipient: string | null;
  /** Step of the plan; counts from 0. */
  readonly step: number;
  /** Delay between the event and the first run of the step, ms. */
  readonly delayMs: number;
  readonly condition: StepCondition | null;
  readonly event: HookEvent;
  readonly traffic: Traffic;
}

export interface GateContext {
  readonly policy: Policy;
  readonly people: People;
  readonly mutes: readonly Mute[];
  /** Null before it was checked: a check takes longer than a decision may. */
  readonly presence: Presence | null;
  /** Whether the session runs; null before the service was asked, for the same reason. */
  readonly running: Running | null;
  readonly now: number;
}

const through: Release = { type: 'release', quietly: false, decision: null };

/**
 * Decides whether a message may go to its channel now. Program channels get everything; people are spared interruptions
 * they do not want now, and nothing is dropped without a reason.
 */
export function gate(candidate: Candidate, context: GateContext): GateResult {
  const held = holdToLook(candidate, context) ?? holdWhileRunning(candidate, context);
  if (held !== null) return held;
  const result = checkGate(candidate, context);
  return result.type === 'release' && endedWhileRunning(candidate, context)
    ? stillRunning(result, candidate)
    : result;
}

/** A check that takes longer than a decision may is done first; the next decision follows immediately. */
function holdToLook(
  candidate: Candidate,
  { presence, running, policy, now }: GateContext,
): GateResult | null {
  const { channel, event } = candidate;
  if (presence === null && asksForPresence(candidate, policy)) {
    const reason = `Checks first whether you are at this machine: "${channel}"`;
    return hold('plan', { heldFor: 'presence', until: now, reason });
  }
  if (running === null && policy.holdStop !== null && isEndOfTurn(event)) {
    const reason = `Checks first whether the session still runs: "${channel}"`;
    return hold('plan', { heldFor: 'running', until: now, reason });
  }
  return null;
}

function checkGate(candidate: Candidate, context: GateContext): GateResult {
  const { condition, channel } = candidate;
  const unmet = condition === null ? null : unmetCondition(condition, candidate, context);
  if (unmet !== null) return stop('plan', `"${channel}" is skipped: ${unmet}`);
  if (context.policy.forbiddenChannels?.includes(channel) === true) {
    return stop('mute', `"${channel}" is not notified: the policy of the hub forbids it`);
  }
  if (context.policy.programChannels.includes(channel)) return through;
  const misaddressed = byRecipient(candidate, context);
  if (misaddressed !== null) return misaddressed;
  // It goes to another person: our quiet hours and limits do not apply to them, and it must not be combined with other
  // events.
  const { agent, event } = candidate.event;
  const isForAnother = candidate.recipient === null && event === PERSONAL_DIGEST;
  if (agent === SERVICE && isForAnother) return through;
  return (
    byMute(candidate, context) ??
    byQuietHours(candidate, context) ??
    byPresence(candidate, context) ??
    byTraffic(candidate, context) ??
    (isQuiet(candidate.event) ? { ...through, quietly: true } : through)
  );
}

/** A personal channel writes to no one but its recipient, who must still be here and want that channel. */
function byRecipient(
  { channel, recipient }: Candidate,
  { policy: { personalChannels }, people }: GateContext,
): GateResult | null {
  if (recipient === null) {
    if (!personalChannels.includes(channel)) return null;
    return stop('plan', `"${channel}" is not notified: it writes to one person, who is unknown`);
  }
  const wishes = people.wishesOf(recipient);
  if (wishes === null) return stop('plan', `"${channel}" is not notified: ${notHere(recipient)}`);
  if (wishes.channels === null || wishes.channels.includes(channel)) return null;
  return stop('mute', `"${channel}" is not notified: "${recipient}" does not want it`);
}

/** Of low urgency, as its sender says. */
function isQuiet({ event, notificationType }: HookEvent): boolean {
  const isSaid = event === programEvents.notify || event === programEvents.tell;
  return isSaid && notificationType === 'low';
}

/** A user who watches the terminal sees that the command has ended. */
function whenWatchingOf({ event }: HookEvent, { whenWatching }: Policy): WatchingPolicy {
  return event === programEvents.command ? 'suppress' : whenWatching;
}

/** The service knows only sessions with an id, and the end of a subagent does not end its session. */
function isEndOfTurn({ kind, sessionId, subagent }: HookEvent): boolean {
  return kind === 'turn.done' && sessionId !== null && !subagent;
}

/**
 * Holds the end of a turn while the session runs, on all channels: the turn may not be over, and the message would be
 * wrong.
 */
function holdWhileRunning(
  { event, channel }: Candidate,
  { running, policy: { holdStop }, now }: GateContext,
): GateResult | null {
  if (holdStop === null || running !== 'yes' || !isEndOfTurn(event)) return null;
  const until = event.receivedAt + holdStop.forMs;
  if (now < until) {
    const reason = `The session still runs: "${channel}" is held until ${new Date(until).toISOString()}`;
    return hold('plan', { heldFor: 'running', until, reason });
  }
  return holdStop.afterwards === 'drop'
    ? stop('plan', `"${channel}" is not notified: the session still runs`)
    : null;
}

function endedWhileRunning(
  { event }: Candidate,
  { running, policy: { holdStop } }: GateContext,
): boolean {
  return holdStop !== null && running === 'yes' && isEndOfTurn(event);
}

function stillRunning(release: Release, { channel }: Candidate): Release {
  const reason = `"${channel}" is notified that the session still runs`;
  const before = release.decision === null ? '' : `${release.decision.reason}; `;
  const decision: Decision = { stage: 'plan', verdict: 'note', reason: `${before}${reason}` };
  return { ...release, stillRunning: true, decision };
}

function asksForPresence(
  { condition, step, channel, recipient, event }: Candidate,
  policy: Policy,
): boolean {
  if (condition?.presence !== undefined) return true;
  // Presence is that of the person at this machine.
  const isForPeople = recipient === null && !policy.programChannels.includes(channel);
  return step === 0 && whenWatchingOf(event, policy) !== 'ring' && isForPeople;
}

function unmetCondition(
  condition: StepCondition,
  { event }: Candidate,
  { presence, now }: GateContext,
): string | null {
  if (condition.attended !== undefined && event.attended === !condition.attended) {
    return condition.attended ? 'the session is unattended' : 'the session is attended';
  }
  if (condition.presence === 'away' && presence?.isPresent === true)
    return 'you are at this machine';
  if (condition.presence === 'here' && presence?.isPresent === false) return 'you are away';
  if (condition.hours !== undefined && !isWithin(condition.hours, now)) {
    return 'the time is outside the hours of the step';
  }
  return null;
}

/** After a mute the plan starts again: the first step immediately, a later one with its planned delay. */
function byMute(
  { event, channel, recipient, delayMs }: Candidate,
  { mutes, now, policy: { expireAfterMs } }: GateContext,
): GateResult | null {
  const mute = muteFor(mutes, event, { channel, recipient }, now);
  if (mute === null) return null;
  if (mute.until === null) {
    const reason = `"${channel}" is muted until you unmute it`;
    // Sent after the mute if it is still unanswered; `unmute` sends it earlier. Once its alert expires it is not sent.
    const until = event.receivedAt + expireAfterMs;
    return wantsAnswer(event) && until > now
      ? hold('mute', { heldFor: 'mute', until, reason: `${reason}: held` })
      : stop('mute', reason);
  }
  const reason = `"${channel}" is muted until ${new Date(mute.until).toISOString()}: held`;
  return hold('mute', { heldFor: 'mute', until: mute.until + delayMs, reason });
}

function byQuietHours(
  { event, channel, recipient, delayMs }: Candidate,
  { policy, people, now }: GateContext,
): GateResult | null {
  const own = recipient === null ? null : people.wishesOf(recipient)?.quietHours;
  const quietHours = own ?? policy.quietHours;
  const quiet = quietFor(quietHours, event, now);
  if (quiet === null) return null;
  const { meanwhile, until } = quiet;
  const begun = until + delayMs;
  switch (meanwhile.type) {
    case 'hold':
      return hold('mute', {
        heldFor: 'quiet',
        // A long delay may end in the next quiet hours: adding it again each time would postpone the step forever.
        until: quietFor(quietHours, event, begun)?.until ?? begun,
        reason: `Quiet hours until ${new Date(until).toISOString()}: "${channel}" is held`,
      });
    case 'discard':
      return stop('mute', `Quiet hours: "${channel}" is not notified`);
    case 'channels':
      if (meanwhile.channels.includes(channel)) return null;
      return stop('mute', `Quiet hours: sent to other channels, not to "${channel}"`);
  }
}

/** First step only: a user who watches the session and does not react in time is still notified by later steps. */
function byPresence(
  { step, channel, recipient, event }: Candidate,
  { policy, presence }: GateContext,
): GateResult | null {
  const whenWatching = whenWatchingOf(event, policy);
  if (step > 0 || recipient !== null) return null;
  if (presence?.watching !== true || whenWatching === 'ring') return null;
  const reason = `The terminal of the session has focus: "${channel}"`;
  if (whenWatching === 'suppress') return stop('mute', `${reason} is not notified`);
  const decision: Decision = {
    stage: 'mute',
    verdict: 'note',
    reason: `${reason} is notified silently`,
  };
  return { type: 'release', quietly: true, decision };
}

function byTraffic(
  { traffic, channel, event: { kind } }: Candidate,
  { policy, now }: GateContext,
): GateResult | null {
  const throttled = throttle(traffic, policy.noise, { kind, now });
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
