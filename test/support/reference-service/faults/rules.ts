import type { Knobs } from '../keys.ts';
import { randomFor } from '../random.ts';
import type { Effect, Instead, Transport } from './effects.ts';

const INSTEAD: readonly Instead['kind'][] = ['hang', 'reset', 'status', 'redirect'];

/** Latency is not one of them: it can precede any. */
type Delivery = Exclude<Transport, { kind: 'latency' }>;

const DELIVERY: readonly Delivery['kind'][] = ['drip', 'truncate', 'stall'];

export function isInstead(effect: Effect): effect is Instead {
  return INSTEAD.some((kind) => kind === effect.kind);
}

export function isDelivery(effect: Effect): effect is Delivery {
  return DELIVERY.some((kind) => kind === effect.kind);
}

/** Which requests a rule is about; all that is given must fit. */
export interface RequestMatch {
  readonly method?: string;
  /** Path without query; `*` stands for any text. */
  readonly path?: string;
  /** The first of the fitting requests that is met, from 1. */
  readonly nth?: number;
  /** How many are met: one when `nth` is given, else all. */
  readonly times?: number;
  /** 0 to 1; the throws of the dice depend on the seed alone. */
  readonly probability?: number;
}

export interface Rule {
  readonly match?: RequestMatch;
  readonly effect: Effect;
}

export interface FaultRules {
  /** @returns takes the rule away again */
  add(rule: Rule): () => void;
  /** Counts a request for every rule it fits and gives what happens to it, oldest rule first. */
  meet(method: string, pathname: string): readonly Effect[];
  clear(): void;
}

interface Entry {
  readonly effect: Effect;
  fires(method: string, pathname: string): boolean;
}

export function createFaultRules(seed: number): FaultRules {
  const entries = new Set<Entry>();
  let added = 0;
  return {
    add(rule) {
      added += 1;
      const entry = createEntry(rule, seed, added);
      entries.add(entry);
      return () => void entries.delete(entry);
    },
    meet: (method, pathname) =>
      [...entries].filter((entry) => entry.fires(method, pathname)).map(({ effect }) => effect),
    clear() {
      entries.clear();
      added = 0;
    },
  };
}

function createEntry({ match = {}, effect }: Rule, seed: number, number: number): Entry {
  const { method, path, nth = 1, probability = 1 } = match;
  const times = match.times ?? (match.nth === undefined ? Infinity : 1);
  const expression = path === undefined ? null : globExpression(path);
  const random = randomFor(seed, 'fault', number);
  let seen = 0;
  let fired = 0;
  return {
    effect,
    fires(actualMethod, pathname) {
      if (method !== undefined && method !== actualMethod) return false;
      if (expression !== null && !expression.test(pathname)) return false;
      seen += 1;
      if (seen < nth || fired >= times || !random.chance(probability)) return false;
      fired += 1;
      return true;
    },
  };
}

function globExpression(path: string): RegExp {
  const parts = path.split('*').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's');
}

/** What effects change in the service's behaviour; of two on the same thing the later wins. */
export function knobsOf(effects: readonly Effect[]): Knobs {
  return effects.reduce<Knobs>((knobs, effect) => ({ ...knobs, ...knob(effect) }), {});
}

function knob(effect: Effect): Knobs {
  if (effect.kind === 'cursor') return { cursor: effect.fault };
  if (effect.kind === 'page') return { page: effect.fault };
  if (effect.kind === 'limits') return { limits: effect.fault };
  if (effect.kind === 'batch') return { batch: effect.fault };
  if (effect.kind === 'max-span') return { maxSpan: effect.days };
  if (effect.kind === 'skew') return { skew: effect.ms };
  if (effect.kind === 'role') return { role: effect.role };
  if (effect.kind === 'revoke-key') return { revokesKey: true };
  if (effect.kind === 'v0-off') return { v0Off: effect.status ?? 403 };
  return effect.kind === 'list-status' ? { listsStatus: true } : {};
}
