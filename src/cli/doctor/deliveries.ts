import type { StatusView } from '../../control/contract.ts';
import type { Check, CheckGuide } from './check.ts';
import { found, ok } from './check.ts';

export const deliveriesGuide = {
  name: 'deliveries',
  about: 'Whether messages were given up',
  troubles: {
    dead: {
      state: 'warning',
      meaning: 'They reached the retry limit of the channel, or can never be delivered',
      remedy:
        'Run "hookbell queue --state dead" to see why, then "hookbell queue retry --all" or "drop"',
    },
  },
} as const satisfies CheckGuide;
const { name, troubles } = deliveriesGuide;

/** Messages that were given up. */
export function checkDeliveries({ deliveries }: StatusView): Check {
  const { dead, pending, sent } = deliveries;
  if (dead === 0) return ok(name, `${sent} sent, ${pending} pending, none given up`);
  return found(name, troubles.dead, `${dead} given up`);
}
