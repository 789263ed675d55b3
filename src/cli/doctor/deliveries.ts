import type { StatusView } from '../../control/contract.ts';
import type { Check, CheckGuide } from './check.ts';
import { found, ok } from './check.ts';

export const deliveriesGuide = {
  name: 'deliveries',
  about: 'Whether messages had to be given up',
  troubles: {
    dead: {
      state: 'warning',
      meaning: 'They were tried as often as the channel allows, or can never be delivered',
      remedy:
        'Run "hookbell queue --state dead" to see why, then "hookbell queue retry --all" or "drop"',
    },
  },
} as const satisfies CheckGuide;
const { name, troubles } = deliveriesGuide;

/** Messages that were given up. */
export function checkDeliveries({ deliveries }: StatusView): Check {
  const { dead, pending, sent } = deliveries;
  if (dead === 0) return ok(name, `${sent} sent, ${pending} on their way, none given up`);
  return found(name, troubles.dead, `${dead} given up`);
}
