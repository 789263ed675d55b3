import type { Decision } from '../core/decision.ts';
import type { HookEvent } from '../core/hook-event.ts';
import { severityOf } from '../core/notification.ts';
import type { Match, Plan, Policy } from '../core/policy.ts';
import { matchesGlob } from './glob.ts';

/** The turn an event ends; `ms` is null when its beginning was not seen. */
export interface EndedTurn {
  readonly ms: number | null;
}

export interface Routed {
  /** Plans chosen, in the order of their routes; empty when no route fits. */
  readonly plans: readonly Plan[];
  readonly decision: Decision;
}

/** Finds the routes an event takes: the first that fits, and those after it while `also` is set. */
export function route(event: HookEvent, turn: EndedTurn | null, policy: Policy): Routed {
  const plans: Plan[] = [];
  const names: string[] = [];
  for (const candidate of policy.routes) {
    if (!fits(candidate.match, event, turn)) continue;
    const plan = policy.plans[candidate.plan];
    if (plan === undefined)
      throw new Error(`Route "${candidate.name}" names no plan of the policy`);
    plans.push(plan);
    names.push(`${candidate.name} chooses plan "${plan.name}"`);
    if (!candidate.also) break;
  }
  if (plans.length === 0) {
    return { plans, decision: { stage: 'route', verdict: 'stop', reason: noRoute(event, turn) } };
  }
  return { plans, decision: { stage: 'route', verdict: 'pass', reason: names.join('; ') } };
}

function noRoute(event: HookEvent, turn: EndedTurn | null): string {
  const length = turn === null || turn.ms === null ? '' : ` after a turn of ${turn.ms} ms`;
  return `No route fits ${event.kind}${length}`;
}

/** True when every given condition holds. */
export function fits(match: Match, event: HookEvent, turn: EndedTurn | null): boolean {
  return (
    includes(match.kind, event.kind) &&
    includes(match.agent, event.agent) &&
    includes(match.severity, severityOf(event)) &&
    includes(match.permissionMode, event.permissionMode) &&
    fitsProject(match.project, event) &&
    fitsGlobs(match.tool, event.tool) &&
    (match.subagent === undefined || match.subagent === event.subagent) &&
    (match.attended === undefined || match.attended === event.attended) &&
    (match.longerThanMs === undefined || isLonger(turn, match.longerThanMs))
  );
}

function includes<Value>(wanted: readonly Value[] | undefined, value: Value | null): boolean {
  return wanted === undefined || (value !== null && wanted.includes(value));
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

/** A turn of unknown length counts as long: better one ring too many than a finished task nobody hears of. */
function isLonger(turn: EndedTurn | null, limitMs: number): boolean {
  return turn !== null && (turn.ms === null || turn.ms > limitMs);
}
