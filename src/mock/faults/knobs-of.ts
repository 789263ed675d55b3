import type { Knobs } from '../knobs.ts';
import type { Behaviour, Effect } from './effects.ts';
import { isBehaviour } from './groups.ts';

/** What effects change in the service's behaviour; of two on the same thing the later wins. */
export function knobsOf(effects: readonly Effect[]): Knobs {
  return effects
    .filter(isBehaviour)
    .reduce<Knobs>((knobs, effect) => ({ ...knobs, ...knob(effect) }), {});
}

function knob(effect: Behaviour): Knobs {
  switch (effect.kind) {
    case 'cursor':
      return { cursor: effect.fault };
    case 'page':
      return { page: effect.fault };
    case 'limits':
      return { limits: effect.fault };
    case 'batch':
      return { batch: effect.fault };
    case 'max-span':
      return { maxSpan: effect.days };
    case 'skew':
      return { skew: effect.ms };
    case 'role':
      return { role: effect.role };
    case 'revoke-key':
      return { revokesKey: true };
    case 'v0-off':
      return { v0Off: effect.status ?? 403 };
    case 'list-status':
      return { listsStatus: true };
  }
}
