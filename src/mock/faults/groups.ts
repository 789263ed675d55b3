import type { Behaviour, Effect, Instead, Spoiling, Transport } from './effects.ts';

const SPOILING: readonly Spoiling['kind'][] = [
  'half-json',
  'empty',
  'html',
  'bom',
  'bad-gzip',
  'content-type',
];

const BEHAVIOUR: readonly Behaviour['kind'][] = [
  'cursor',
  'page',
  'limits',
  'batch',
  'max-span',
  'skew',
  'role',
  'revoke-key',
  'v0-off',
  'list-status',
];

const INSTEAD: readonly Instead['kind'][] = ['hang', 'reset', 'status', 'redirect'];

/** Latency is none of them: it can precede each. */
type Delivery = Exclude<Transport, { kind: 'latency' }>;

const DELIVERY: readonly Delivery['kind'][] = ['drip', 'truncate', 'stall'];

export function isSpoiling(effect: Effect): effect is Spoiling {
  return SPOILING.some((kind) => kind === effect.kind);
}

export function isBehaviour(effect: Effect): effect is Behaviour {
  return BEHAVIOUR.some((kind) => kind === effect.kind);
}

export function isInstead(effect: Effect): effect is Instead {
  return INSTEAD.some((kind) => kind === effect.kind);
}

export function isDelivery(effect: Effect): effect is Delivery {
  return DELIVERY.some((kind) => kind === effect.kind);
}
