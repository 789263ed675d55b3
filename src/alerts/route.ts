import type { Decision } from '../core/decision.ts';
import type { HookEvent } from '../core/hook-event.ts';
import { severityOf } from '../core/notification.ts';
import type { Match, Plan, Policy } from '../core/policy.ts';
import { pausedText, type Session } from '../core/session.ts';
import { isoTime } from '../platform/time.ts';
import { delayText } from '../text/duration.ts';
import { isWithin, rangeText } from './quiet.ts';

/** The turn that an event ends; `ms` is null when its start was not seen. */
export interface EndedTurn {
  readonly ms: number | null;
}

export interface Routed {
  /** Plans chosen, in the order of their routes; empty when no route fits. */
  readonly plans: readonly Plan[];
  readonly decision: Decision;
}

/** Facts besides the event that a match may use. */
export interface RouteFacts {
  readonly turn: EndedTurn | null;
  readonly session: Session | null;
  readonly now: number;
}

/** Finds the routes of an event: the first that fits, and those after it while `also` is set. */
export function route(event: HookEvent, facts: RouteFacts, policy: Policy): Routed {
  const chosen = chosenByCaller(event, policy);
  if (chosen !== null) return chosen;
  const plans: Plan[] = [];
  const names: string[] = [];
  for (const candidate of policy.routes) {
    if (!fits(candidate.match, event, facts)) continue;
    const plan = policy.plans[candidate.plan];
    if (plan === undefined) throw new Error(`Route "${candidate.name}" names an unknown plan`);
    plans.push(plan);
    names.push(`${candidate.name} chooses plan "${plan.name}"`);
    if (!candidate.also) break;
  }
  if (plans.length === 0) {
    return {
      plans,
      decision: { stage: 'route', verdict: 'stop', reason: noRoute(event, facts) },
    };
  }
  return { plans, decision: { stage: 'route', verdict: 'pass', reason: names.join('; ') } };
}

/** What a script on this machine wants; null: nothing else than the routes. */
function chosenByCaller({ wishes, machine }: HookEvent, { plans }: Policy): Routed | null {
  const { plan: name, channels = [] } = wishes ?? {};
  if (machine !== null || (name === undefined && channels.length === 0)) return null;
  const notify = [...new Set([...channels, 'inbox'])];
  const steps = [{ afterMs: 0, notify, repeat: null, condition: null }];
  if (name === undefined) {
    const reason = `The caller chooses ${notify.join(', ')}`;
    const plan = { name: 'of the caller', steps };
    return { plans: [plan], decision: { stage: 'route', verdict: 'pass', reason } };
  }
  const plan = Object.hasOwn(plans, name) ? plans[name] : undefined;
  const wanted = `The caller wants the plan "${name}"`;
  return plan === undefined
    ? {
        plans: [],
        decision: { stage: 'route', verdict: 'stop', reason: `${wanted}, which does not exist` },
      }
    : { plans: [plan], decision: { stage: 'route', verdict: 'pass', reason: wanted } };
}

function noRoute({ kind, wakes }: HookEvent, { turn, session }: RouteFacts): string {
  const length = turn === null || turn.ms === null ? '' : ` after a turn of ${delayText(turn.ms)}`;
  const paused = wakes === undefined || session === null ? null : pausedText(session, isoTime);
  return `${paused === null ? 'No' : `The session is ${paused}: no`} route matches ${kind}${length}`;
}

/** True when every given condition holds. */
export function fits(match: Match, event: HookEvent, facts: RouteFacts): boolean {
  return conditions.every(({ holds }) => holds(match, event, facts));
}

/** A condition that does not hold, as the configuration names it. */
export interface Unfit {
  readonly condition: string;
  /** The expected value and the event's value, for people. */
  readonly wanted: string;
  readonly actual: string;
}

/** The conditions that keep the match from fitting. */
export function unfitConditions(
  match: Match,
  event: HookEvent,
  facts: RouteFacts,
): readonly Unfit[] {
  return conditions
    .filter(({ holds }) => !holds(match, event, facts))
    .map(({ name, key, actual }) => ({
      condition: name,
      wanted: wantedText(match[key]),
      actual: actual(event, facts) ?? 'unknown',
    }));
}

interface Condition {
  /** As the configuration calls it. */
  readonly name: string;
  readonly key: keyof Match;
  readonly holds: (match: Match, event: HookEvent, facts: RouteFacts) => boolean;
  readonly actual: (event: HookEvent, facts: RouteFacts) => string | null;
}

type TextOf = Condition['actual'];

/** One of several words. */
function oneOf(
  key: 'kind' | 'agent' | 'severity' | 'permissionMode',
  actual: TextOf,
  name: string = key,
): Condition {
  const holds: Condition['holds'] = (match, event, facts) => {
    const wanted: readonly string[] | undefined = match[key];
    const text = actual(event, facts);
    return wanted === undefined || (text !== null && wanted.includes(text));
  };
  return { name, key, holds, actual };
}

/** Any of several globs; `shown` stands for a text that is unknown. */
function likeAny(
  key: 'machine' | 'person' | 'team' | 'event' | 'tool' | 'title' | 'message' | 'reason',
  textOf: TextOf,
  shown: string | null = null,
): Condition {
  return {
    name: key,
    key,
    holds: (match, event, facts) => fitsGlobs(match[key], textOf(event, facts)),
    actual: (event, facts) => textOf(event, facts) ?? shown,
  };
}

const conditions: readonly Condition[] = [
  oneOf('kind', ({ kind }) => kind),
  oneOf('agent', ({ agent }) => agent),
  likeAny('machine', ({ machine }) => machine, 'this machine'),
  likeAny('person', ({ owner }) => owner?.person ?? null),
  likeAny('team', ({ owner }) => owner?.team ?? null),
  likeAny('event', ({ event }) => event),
  oneOf('severity', severityOf),
  oneOf('permissionMode', ({ permissionMode }) => permissionMode, 'permission_mode'),
  {
    name: 'project',
    key: 'project',
    holds: (match, event) => fitsProject(match.project, event),
    actual: (event) => event.cwd ?? event.project,
  },
  likeAny('tool', ({ tool }) => tool),
  {
    name: 'subagent',
    key: 'subagent',
    holds: (match, event) => match.subagent === undefined || match.subagent === event.subagent,
    actual: (event) => String(event.subagent),
  },
  {
    name: 'attended',
    key: 'attended',
    holds: (match, event) => match.attended === undefined || match.attended === event.attended,
    actual: (event) => event.attended?.toString() ?? null,
  },
  {
    name: 'longer_than',
    key: 'longerThanMs',
    holds: (match, _event, { turn }) =>
      match.longerThanMs === undefined || isLonger(turn, match.longerThanMs),
    actual: (_event, { turn }) =>
      turn === null ? 'ends no turn' : turn.ms === null ? 'unknown' : delayText(turn.ms),
  },
  likeAny('title', (event, { session }) => session?.title ?? event.title),
  likeAny('message', ({ message }) => message),
  likeAny('reason', ({ reason }) => reason),
  {
    name: 'hours',
    key: 'hours',
    holds: (match, _event, { now }) => match.hours === undefined || isWithin(match.hours, now),
    actual: (_event, { now }) => new Date(now).toISOString(),
  },
];

function wantedText(wanted: Match[keyof Match]): string {
  if (typeof wanted === 'number') return `more than ${delayText(wanted)}`;
  if (typeof wanted !== 'object') return String(wanted);
  if ('from' in wanted) return rangeText(wanted);
  return wanted.join(' or ');
}

function fitsGlobs(globs: readonly string[] | undefined, text: string | null): boolean {
  return globs === undefined || (text !== null && globs.some((glob) => matchesGlob(glob, text)));
}

function fitsProject(globs: readonly string[] | undefined, event: HookEvent): boolean {
  return (
    globs === undefined ||
    globs.some((glob) => fitsGlobs([glob], glob.includes('/') ? event.cwd : event.project))
  );
}

/** A turn of unknown length counts as long: an unneeded notification is better than a missed one. */
function isLonger(turn: EndedTurn | null, limitMs: number): boolean {
  return turn !== null && (turn.ms === null || turn.ms > limitMs);
}

/**
 * Matches a glob in at most |glob| · |text| steps and without a regular expression, so that no text can make it slow.
 * `*` is any run of characters, `?` one; case does not matter, nor whether macOS has decomposed a letter.
 */
export function matchesGlob(glob: string, text: string): boolean {
  const pattern = glob.normalize().toLowerCase();
  const subject = text.normalize().toLowerCase();
  let p = 0;
  let s = 0;
  // Position of the last star, and how far it has matched.
  let star = -1;
  let eaten = 0;
  while (s < subject.length) {
    if (pattern[p] === '*') {
      star = p;
      eaten = s;
      p += 1;
    } else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === subject[s])) {
      p += 1;
      s += 1;
    } else if (star >= 0) {
      eaten += 1;
      s = eaten;
      p = star + 1;
    } else {
      return false;
    }
  }
  while (pattern[p] === '*') p += 1;
  return p === pattern.length;
}
